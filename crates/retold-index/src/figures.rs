//! The stories of an index in numbers.

use serde::Serialize;

use crate::state::State;

/// The stories of an index in numbers. An *article* is a story, or a page that repeats none; its other pages are *reprints*.
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[non_exhaustive]
pub struct StoryFigures {
    /// Stories of two pages or more, and pages alone that have excerpts.
    pub stories: u64,
    /// Different articles.
    pub articles: u64,
    /// Reprints of an article on average, with three decimals.
    pub mean_reprints: f64,
    /// Reprints of the article that has most of them.
    pub most_reprints: u64,
    /// The largest number of pages that came to one article within 24 hours.
    pub most_a_day: u64,
}

/// Seconds of a day.
pub(crate) const DAY: i64 = 24 * 3600;

impl StoryFigures {
    /// The stories in numbers.
    ///
    /// Time O(pages and relations of the index).
    pub(crate) fn of(state: &State) -> StoryFigures {
        let telling = state.telling();
        let mut figures = StoryFigures {
            stories: telling.len() as u64,
            ..StoryFigures::default()
        };
        let mut reprints = 0;
        for told in telling.stories() {
            let others = told.pages.len() as u64 - 1;
            reprints += others;
            figures.most_reprints = figures.most_reprints.max(others);
            figures.most_a_day = figures.most_a_day.max(most_within(&told.moments));
        }
        figures.articles = state.pages.live() as u64 - reprints;
        let mean = reprints as f64 / figures.articles.max(1) as f64;
        figures.mean_reprints = (mean * 1000.0).round() / 1000.0;
        figures
    }
}

/// The largest number of moments, which ascend, within a day.
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
        // From hour 1 to hour 24 there are three; 23, 24 and 25 lie within a day too.
        let moments = hours.map(|hour| hour * 3600);
        assert_eq!(most_within(&moments), 3);
        assert_eq!(most_within(&[]), 0);
        assert_eq!(most_within(&[5, 5, 5]), 3);
    }
}
