//! Where the runs of a text stand in another.

use std::cell::Cell;

/// Nowhere.
pub(super) const NOWHERE: u32 = u32::MAX;

/// The last of several places of a run.
const LAST: u32 = u32::MAX;

/// Runs between two looks at whether enough can still be shared.
const STEPS: usize = 64;

/// The most slots that are kept for the next text: 4 MiB.
const KEPT: usize = 1 << 19;

thread_local! {
    /// The slots of the text before, so that the system need not clear memory for each one.
    static SLOTS: Cell<Vec<u64>> = const { Cell::new(Vec::new()) };
}

/// Where each run of a text stands, to look up those of many others.
pub(super) struct Places<'a> {
    runs: &'a [u32],
    /// In the high half a run, in the low half one more than the first of its places that is left; 0 if there is none. A run is in
    /// the slot that its low bits say, or behind it, before the next empty one.
    slots: Vec<u64>,
    /// Place -> one more than the next of the same run, [`LAST`] if there is none, 0 if there never was another. Empty if no run
    /// comes again.
    again: Vec<u32>,
    /// How many places are not the first of their run.
    repeated: usize,
    /// What slots were before the text that is looked up moved them on.
    moved: Vec<(usize, u64)>,
}

/// For each token of the smaller text where the run that begins there stands in the other, or [`NOWHERE`]; and how many runs do.
pub(super) type Shared = (usize, Vec<u32>);

impl<'a> Places<'a> {
    /// Linear.
    pub(super) fn of(runs: &'a [u32]) -> Places<'a> {
        let mut slots = SLOTS.take();
        slots.clear();
        slots.resize((2 * runs.len()).next_power_of_two(), 0);
        let mut places = Places {
            runs,
            slots,
            again: Vec::new(),
            repeated: 0,
            moved: Vec::new(),
        };
        for (place, &run) in runs.iter().enumerate().rev() {
            let at = places.slot(run);
            if let next @ 1.. = places.slots[at] as u32 {
                places.repeated += 1;
                places.again.resize(runs.len(), 0);
                places.again[place] = next;
                let next = &mut places.again[next as usize - 1];
                *next = if *next == 0 { LAST } else { *next };
            }
            places.slots[at] = u64::from(run) << 32 | (place as u64 + 1);
        }
        places
    }

    /// The slot of a run, which is empty if the run is nowhere.
    fn slot(&self, run: u32) -> usize {
        let mask = self.slots.len() - 1;
        let mut at = run as usize & mask;
        while self.slots[at] != 0 && (self.slots[at] >> 32) as u32 != run {
            at = (at + 1) & mask;
        }
        at
    }

    /// The first place that is left of a run, and its slot if there are others. `next` is where it is thought to stand: in copies most
    /// runs follow those before them.
    fn find(&self, run: u32, next: usize) -> Option<(usize, Option<usize>)> {
        let has_others = |place: usize| self.again.get(place).is_some_and(|&again| again != 0);
        if self.runs.get(next) == Some(&run) && !has_others(next) {
            return Some((next, None));
        }
        let at = self.slot(run);
        let place = (self.slots[at] as u32).checked_sub(1)? as usize;
        Some((place, has_others(place).then_some(at)))
    }

    /// Moves a slot on from the place that it has, unless that is the last.
    fn move_on(&mut self, at: usize, place: usize) {
        let again = self.again[place];
        if again != LAST {
            let slot = self.slots[at];
            self.moved.push((at, slot));
            self.slots[at] = slot >> 32 << 32 | u64::from(again);
        }
    }

    /// All slots as at first.
    fn restore(&mut self) {
        while let Some((at, slot)) = self.moved.pop() {
            self.slots[at] = slot;
        }
    }

    /// The runs of a smaller text, of so many tokens, in this one. A run that comes again corresponds to the one that comes again here,
    /// those left over to the last. `None` once it shows that they are not `enough` (of which is asked that more are, too). Linear.
    pub(super) fn of_smaller(
        &mut self,
        small: &[u32],
        tokens: usize,
        mut enough: impl FnMut(usize) -> bool,
    ) -> Option<Shared> {
        let mut starts = vec![NOWHERE; tokens];
        let (mut found, mut next) = (0, 0);
        for (place, &run) in small.iter().enumerate() {
            if place % STEPS == 0 && !enough(found + small.len() - place) {
                self.restore();
                return None;
            }
            if let Some((there, slot)) = self.find(run, next) {
                starts[place] = there as u32;
                found += 1;
                next = there + 1;
                if let Some(at) = slot {
                    self.move_on(at, there);
                }
            }
        }
        self.restore();
        enough(found).then_some((found, starts))
    }

    /// The same of the runs of this text, of so many tokens, in a larger one.
    pub(super) fn in_larger(
        &mut self,
        large: &[u32],
        tokens: usize,
        mut enough: impl FnMut(usize) -> bool,
    ) -> Option<Shared> {
        let all = self.runs.len();
        let mut starts = vec![NOWHERE; tokens];
        let (mut found, mut next) = (0, 0);
        for (there, &run) in large.iter().enumerate() {
            let most = found + large.len() - there + self.repeated;
            if there % STEPS == 0 && !enough(most.min(all)) {
                self.restore();
                return None;
            }
            if let Some((place, slot)) = self.find(run, next) {
                next = place + 1;
                // What comes more often there corresponds to nothing.
                if starts[place] == NOWHERE {
                    starts[place] = there as u32;
                    found += 1;
                    if let Some(at) = slot {
                        self.move_on(at, place);
                    }
                }
            }
        }
        self.restore();
        for (place, &again) in self.again.iter().enumerate() {
            let next = again.wrapping_sub(1) as usize;
            if again != 0 && again != LAST && starts[place] != NOWHERE && starts[next] == NOWHERE {
                starts[next] = starts[place];
                found += 1;
            }
        }
        enough(found).then_some((found, starts))
    }
}

impl Drop for Places<'_> {
    fn drop(&mut self) {
        if self.slots.capacity() <= KEPT {
            SLOTS.set(std::mem::take(&mut self.slots));
        }
    }
}
