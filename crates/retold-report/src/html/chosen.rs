//! Which pages' texts are in the report.

use retold::PageNo;

use super::report::{Report, TEXT_CHARS};

/// The pages whose texts the report has, ascending. A page's slot is its place here.
pub(super) struct Chosen(Vec<PageNo>);

impl Chosen {
    /// The pages of clusters, the largest cluster first, as long as their texts fit.
    pub(super) fn of(report: &Report<'_>) -> Chosen {
        let mut chosen = Vec::new();
        let Some(limit) = report.output.report_text else {
            return Chosen(chosen);
        };
        let mut chars = 0;
        for &cluster in &report.order {
            for rank in report.shown(cluster) {
                chars += report.findings.page(rank).chars.min(limit as u64);
                if chars > TEXT_CHARS {
                    break;
                }
                chosen.push(report.findings.by_id[rank.at()]);
            }
        }
        chosen.sort_unstable();
        Chosen(chosen)
    }

    /// The pages.
    pub(super) fn pages(&self) -> &[PageNo] {
        &self.0
    }

    /// The slot of the page, if its text is in the report.
    pub(super) fn slot(&self, page: PageNo) -> Option<usize> {
        self.0.binary_search(&page).ok()
    }
}
