//! Chooses the pages whose texts are in the report.

use std::collections::BTreeSet;

use retold::{PageNo, Rank};

use super::report::{Report, TEXT_CHARS};

/// The pages whose texts are in the report, ascending. The slot of a page is its position in this list.
pub(super) struct Chosen(Vec<PageNo>);

impl Chosen {
    /// The pages of the dropped pages that are shown, then those of clusters, largest cluster first, while their texts fit.
    pub(super) fn of(report: &Report<'_>) -> Chosen {
        let Some(limit) = report.output.report_text else {
            return Chosen(Vec::new());
        };
        let findings = report.findings;
        let drops = report.drops.pages(findings).collect();
        let clusters = report.order.iter().map(|&cluster| report.shown(cluster));
        let mut chosen = BTreeSet::new();
        let mut chars = 0;
        for ranks in std::iter::once::<Vec<Rank>>(drops).chain(clusters) {
            for rank in ranks {
                let number = findings.by_id[rank.at()];
                if chosen.contains(&number) {
                    continue;
                }
                chars += findings.page(rank).chars.min(limit as u64);
                if chars > TEXT_CHARS {
                    break;
                }
                chosen.insert(number);
            }
        }
        Chosen(chosen.into_iter().collect())
    }

    pub(super) fn pages(&self) -> &[PageNo] {
        &self.0
    }

    /// The slot of the page, if its text is in the report.
    pub(super) fn slot(&self, page: PageNo) -> Option<usize> {
        self.0.binary_search(&page).ok()
    }
}
