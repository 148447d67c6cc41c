//! An index of the positions of the runs of words of a text, to find which runs another text has.

use std::cell::Cell;

/// Stands for no position.
const NOWHERE: u32 = u32::MAX;

/// Marks the last position of a run with several.
const LAST: u32 = u32::MAX;

/// Bits per slot.
const BITS: usize = 4;

/// The most slots kept for reuse: 4 MiB.
const KEPT: usize = 1 << 19;

thread_local! {
    /// The slots of the previous text, reused so that memory need not be cleared for each text.
    static SLOTS: Cell<Vec<u64>> = const { Cell::new(Vec::new()) };
}

/// The positions of each run of a text, for looking up the runs of many others.
pub(super) struct PositionIndex {
    runs: Vec<u32>,
    /// A hash table with open addressing by a run's low bits. The high half of a slot is a run; the low half is 1 + the first of its
    /// positions without a match yet, or 0 if the slot is empty.
    slots: Vec<u64>,
    /// A bit is set if some run has these low bits. Most absent runs are recognised by it without reading a slot.
    bits: Vec<u64>,
    /// For each position, 1 + the next position of the same run, [`LAST`] if there is none, 0 if the run occurs once. Empty if all runs
    /// occur once.
    next_same: Vec<u32>,
    /// The former values of the slots that [`PositionIndex::move_on`] changed.
    undo: Vec<(usize, u64)>,
}

/// How many runs are compared at a time.
const TOGETHER: usize = 16;

/// Consecutive runs of the smaller text that are also consecutive in the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct MatchBlock {
    /// The first token in the smaller text.
    pub(super) place: usize,
    /// The first token in the other text.
    pub(super) there: usize,
    pub(super) runs: usize,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Matches {
    pub(super) runs: usize,
    /// The blocks of matching runs, ascending, each as long as possible.
    pub(super) blocks: Vec<MatchBlock>,
}

impl Matches {
    /// Adds runs after the existing ones.
    fn add(&mut self, place: usize, there: usize, runs: usize) {
        self.runs += runs;
        if let Some(last) = self.blocks.last_mut()
            && (last.place + last.runs, last.there + last.runs) == (place, there)
        {
            last.runs += runs;
            return;
        }
        self.blocks.push(MatchBlock { place, there, runs });
    }

    /// The matches, given each run's position in the other text, or [`NOWHERE`].
    fn of_starts(starts: &[u32]) -> Matches {
        let mut shared = Matches::default();
        for (place, &there) in starts.iter().enumerate() {
            if there != NOWHERE {
                shared.add(place, there as usize, 1);
            }
        }
        shared
    }
}

impl PositionIndex {
    /// Builds the index. Linear.
    pub(super) fn of(runs: Vec<u32>) -> PositionIndex {
        let mut slots = SLOTS.take();
        slots.clear();
        slots.resize((2 * runs.len()).next_power_of_two(), 0);
        let mut index = PositionIndex {
            bits: vec![0; (slots.len() * BITS).div_ceil(64)],
            runs: Vec::new(),
            slots,
            next_same: Vec::new(),
            undo: Vec::new(),
        };
        for (place, &run) in runs.iter().enumerate().rev() {
            let at = index.slot(run);
            if let next @ 1.. = index.slots[at] as u32 {
                index.next_same.resize(runs.len(), 0);
                index.next_same[place] = next;
                let next = &mut index.next_same[next as usize - 1];
                *next = if *next == 0 { LAST } else { *next };
            }
            index.slots[at] = u64::from(run) << 32 | (place as u64 + 1);
            let (word, bit) = index.bit(run);
            index.bits[word] |= 1 << bit;
        }
        index.runs = runs;
        index
    }

    /// The place of the bit for the runs with the same low bits.
    fn bit(&self, run: u32) -> (usize, u32) {
        ((run as usize / 64) & (self.bits.len() - 1), run % 64)
    }

    /// The slot of a run; it is empty if the run does not occur.
    fn slot(&self, run: u32) -> usize {
        let mask = self.slots.len() - 1;
        let mut at = run as usize & mask;
        while self.slots[at] != 0 && (self.slots[at] >> 32) as u32 != run {
            at = (at + 1) & mask;
        }
        at
    }

    /// How many of these runs equal the runs from position `next` on, and occur only there, as most do in copies.
    fn along(&self, runs: &[u32], next: usize) -> usize {
        let here = self.runs.get(next..).unwrap_or_default();
        if !self.next_same.is_empty() {
            let here = here.iter().zip(&self.next_same[next..]);
            let along = here.zip(runs);
            return along
                .take_while(|((here, again), run)| here == run && **again == 0)
                .count();
        }
        let most = here.len().min(runs.len());
        let (here, runs) = (&here[..most], &runs[..most]);
        let (here_by, _) = here.as_chunks::<TOGETHER>();
        let (runs_by, _) = runs.as_chunks::<TOGETHER>();
        // No branches, so that the comparisons run in parallel.
        let are_alike = |(a, b): &(&[u32; TOGETHER], &[u32; TOGETHER])| {
            let differ = a.iter().zip(*b).fold(0, |differ, (a, b)| differ | (a ^ b));
            differ == 0
        };
        let alike = here_by.iter().zip(runs_by).take_while(are_alike);
        let alike = alike.count() * TOGETHER;
        let rest = here[alike..].iter().zip(&runs[alike..]);
        alike + rest.take_while(|(a, b)| a == b).count()
    }

    /// The first position of a run without a match yet, and its slot if the run has several positions.
    fn find(&self, run: u32) -> Option<(usize, Option<usize>)> {
        let (word, bit) = self.bit(run);
        if self.bits[word] >> bit & 1 == 0 {
            return None;
        }
        let has_others = |place: usize| self.next_same.get(place).is_some_and(|&again| again != 0);
        let at = self.slot(run);
        let place = (self.slots[at] as u32).checked_sub(1)? as usize;
        Some((place, has_others(place).then_some(at)))
    }

    /// Advances a slot to the next position of its run, unless `place` is the last.
    fn move_on(&mut self, at: usize, place: usize) {
        let again = self.next_same[place];
        if again != LAST {
            let slot = self.slots[at];
            self.undo.push((at, slot));
            self.slots[at] = slot >> 32 << 32 | u64::from(again);
        }
    }

    /// Restores all slots.
    fn restore(&mut self) {
        while let Some((at, slot)) = self.undo.pop() {
            self.slots[at] = slot;
        }
    }

    /// The runs of a smaller text that this one has. The n-th of equal runs matches the n-th here, or the last if there are fewer. Linear.
    pub(super) fn of_smaller(&mut self, small: &[u32]) -> Matches {
        let mut shared = Matches::default();
        let (mut place, mut next) = (0, 0);
        while place < small.len() {
            let along = self.along(&small[place..], next);
            if along > 0 {
                shared.add(place, next, along);
                (place, next) = (place + along, next + along);
                continue;
            }
            if let Some((there, slot)) = self.find(small[place]) {
                shared.add(place, there, 1);
                next = there + 1;
                if let Some(at) = slot {
                    self.move_on(at, there);
                }
            }
            place += 1;
        }
        self.restore();
        shared
    }

    /// The runs of this text that a larger one has; otherwise as [`PositionIndex::of_smaller`].
    pub(super) fn in_larger(&mut self, large: &[u32]) -> Matches {
        let mut starts = vec![NOWHERE; self.runs.len()];
        let (mut there, mut next) = (0, 0);
        while there < large.len() {
            let along = self.along(&large[there..], next);
            if along > 0 {
                for (start, there) in starts[next..][..along].iter_mut().zip(there..) {
                    // If a run is more frequent there than here, the surplus has no match.
                    if *start == NOWHERE {
                        *start = there as u32;
                    }
                }
                (there, next) = (there + along, next + along);
                continue;
            }
            if let Some((place, slot)) = self.find(large[there]) {
                next = place + 1;
                if starts[place] == NOWHERE {
                    starts[place] = there as u32;
                    if let Some(at) = slot {
                        self.move_on(at, place);
                    }
                }
            }
            there += 1;
        }
        self.restore();
        for (place, &again) in self.next_same.iter().enumerate() {
            let next = again.wrapping_sub(1) as usize;
            if again != 0 && again != LAST && starts[place] != NOWHERE && starts[next] == NOWHERE {
                starts[next] = starts[place];
            }
        }
        Matches::of_starts(&starts)
    }
}

impl Drop for PositionIndex {
    fn drop(&mut self) {
        if self.slots.capacity() <= KEPT {
            SLOTS.set(std::mem::take(&mut self.slots));
        }
    }
}
