//! The stories of an index in numbers.

use serde::Serialize;

use crate::state::State;

/// The stories of an index in numbers. An *article* is a story, or a page that is in no story. All pages of an article but the first are
/// its *reprints*.
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[non_exhaustive]
pub struct StoryFigures {
    /// Stories of at least two pages, and single pages that have excerpts.
    pub stories: u64,
    /// Articles.
    pub articles: u64,
    /// Mean number of reprints per article, to three decimals.
    pub mean_reprints: f64,
    /// Largest number of reprints of one article.
    pub most_reprints: u64,
    /// Largest number of pages of one article within 24 hours.
    pub most_a_day: u64,
}

pub(crate) const DAY: i64 = 24 * 3600;

impl StoryFigures {
    /// Counts the stories.
    ///
    /// Time O(pages and relations of the index).
    pub(crate) fn of(state: &State) -> StoryFigures {
        let catalog = state.catalog();
        let mut figures = StoryFigures {
            stories: catalog.len() as u64,
            ..StoryFigures::default()
        };
        let mut reprints = 0;
        for story in catalog.stories() {
            let others = story.pages.len() as u64 - 1;
            reprints += others;
            figures.most_reprints = figures.most_reprints.max(others);
            figures.most_a_day = figures.most_a_day.max(most_within(&story.moments));
        }
        figures.articles = state.pages.live() as u64 - reprints;
        let mean = reprints as f64 / figures.articles.max(1) as f64;
        figures.mean_reprints = (mean * 1000.0).round() / 1000.0;
        figures
    }
}

fn most_within(moments: &[i64]) -> u64 {
    let mut from = 0;
    let mut most = 0;
    for (at, moment) in moments.iter().enumerate() {
        while moment - moments[from] >= DAY {
            from += 1;
        }
        most = most.max(at + 1 - from);
    }
    most as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn most_of_a_day() {
        let hours = [0, 1, 23, 24, 25, 100];
        // Hours 1 to 24 hold three moments; so do 23, 24 and 25.
        let moments = hours.map(|hour| hour * 3600);
        assert_eq!(most_within(&moments), 3);
        assert_eq!(most_within(&[]), 0);
        assert_eq!(most_within(&[5, 5, 5]), 3);
    }
}
