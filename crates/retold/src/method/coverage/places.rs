//! Where the runs of a text stand in another.

use std::cell::Cell;

/// Nowhere.
const NOWHERE: u32 = u32::MAX;

/// The last of several places of a run.
const LAST: u32 = u32::MAX;

/// Runs that stand nowhere between two looks at whether enough can still be shared.
const STEPS: usize = 64;

/// Bits a slot.
const BITS: usize = 4;

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
    /// Whether a run has these low bits: most that are nowhere need no slot to be known.
    bits: Vec<u64>,
    /// Place -> one more than the next of the same run, [`LAST`] if there is none, 0 if there never was another. Empty if no run
    /// comes again.
    again: Vec<u32>,
    /// How many places are not the first of their run.
    repeated: usize,
    /// What slots were before the text that is looked up moved them on.
    moved: Vec<(usize, u64)>,
}

/// The most runs that are compared at a time.
const TOGETHER: usize = 16;

/// Runs of the smaller text that follow each other as they do in the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Stretch {
    /// The token of the smaller text at which the first begins.
    pub(super) place: usize,
    /// The token of the other at which it begins there.
    pub(super) there: usize,
    /// How many they are.
    pub(super) runs: usize,
}

/// The runs of the smaller text that the other has.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Shared {
    /// How many.
    pub(super) runs: usize,
    /// Where they stand, ascending by place; each as long as can be.
    pub(super) stretches: Vec<Stretch>,
}

impl Shared {
    /// Adds runs behind those that there are.
    fn add(&mut self, place: usize, there: usize, runs: usize) {
        self.runs += runs;
        if let Some(last) = self.stretches.last_mut()
            && (last.place + last.runs, last.there + last.runs) == (place, there)
        {
            last.runs += runs;
            return;
        }
        self.stretches.push(Stretch { place, there, runs });
    }

    /// Of the places in the other text of all runs of the smaller one, or [`NOWHERE`].
    fn of_starts(starts: &[u32]) -> Shared {
        let mut shared = Shared::default();
        for (place, &there) in starts.iter().enumerate() {
            if there != NOWHERE {
                shared.add(place, there as usize, 1);
            }
        }
        shared
    }
}

impl<'a> Places<'a> {
    /// Linear.
    pub(super) fn of(runs: &'a [u32]) -> Places<'a> {
        let mut slots = SLOTS.take();
        slots.clear();
        slots.resize((2 * runs.len()).next_power_of_two(), 0);
        let mut places = Places {
            runs,
            bits: vec![0; (slots.len() * BITS).div_ceil(64)],
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
            let (word, bit) = places.bit(run);
            places.bits[word] |= 1 << bit;
        }
        places
    }

    /// Where the bit of a run is, and of all that have its low bits.
    fn bit(&self, run: u32) -> (usize, u32) {
        ((run as usize / 64) & (self.bits.len() - 1), run % 64)
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

    /// How many of these runs follow each other from the place `next` on as they do here, and stand nowhere else: in copies most do.
    fn along(&self, runs: &[u32], next: usize) -> usize {
        let here = self.runs.get(next..).unwrap_or_default();
        if !self.again.is_empty() {
            let here = here.iter().zip(&self.again[next..]);
            let along = here.zip(runs);
            return along
                .take_while(|((here, again), run)| here == run && **again == 0)
                .count();
        }
        let most = here.len().min(runs.len());
        let (here, runs) = (&here[..most], &runs[..most]);
        let (here_by, _) = here.as_chunks::<TOGETHER>();
        let (runs_by, _) = runs.as_chunks::<TOGETHER>();
        // Without a branch for each, so that they are compared side by side.
        let are_alike = |(a, b): &(&[u32; TOGETHER], &[u32; TOGETHER])| {
            let differ = a.iter().zip(*b).fold(0, |differ, (a, b)| differ | (a ^ b));
            differ == 0
        };
        let alike = here_by.iter().zip(runs_by).take_while(are_alike);
        let alike = alike.count() * TOGETHER;
        let rest = here[alike..].iter().zip(&runs[alike..]);
        alike + rest.take_while(|(a, b)| a == b).count()
    }

    /// The first place that is left of a run, and its slot if there are others.
    fn find(&self, run: u32) -> Option<(usize, Option<usize>)> {
        let (word, bit) = self.bit(run);
        if self.bits[word] >> bit & 1 == 0 {
            return None;
        }
        let has_others = |place: usize| self.again.get(place).is_some_and(|&again| again != 0);
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

    /// The runs of a smaller text in this one. A run that comes again corresponds to the one that comes again here, those left over to
    /// the last. `None` once it shows that they are not `enough` (of which is asked that more are, too). Linear.
    pub(super) fn of_smaller(
        &mut self,
        small: &[u32],
        mut enough: impl FnMut(usize) -> bool,
    ) -> Option<Shared> {
        let mut shared = Shared::default();
        let (mut place, mut next, mut missed) = (0, 0, 0);
        while place < small.len() {
            let along = self.along(&small[place..], next);
            if along > 0 {
                shared.add(place, next, along);
                (place, next) = (place + along, next + along);
                continue;
            }
            match self.find(small[place]) {
                Some((there, slot)) => {
                    shared.add(place, there, 1);
                    next = there + 1;
                    if let Some(at) = slot {
                        self.move_on(at, there);
                    }
                }
                None => {
                    missed += 1;
                    if missed % STEPS == 0 && !enough(small.len() - missed) {
                        self.restore();
                        return None;
                    }
                }
            }
            place += 1;
        }
        self.restore();
        enough(shared.runs).then_some(shared)
    }

    /// The same of the runs of this text in a larger one.
    pub(super) fn in_larger(
        &mut self,
        large: &[u32],
        mut enough: impl FnMut(usize) -> bool,
    ) -> Option<Shared> {
        let all = self.runs.len();
        let mut starts = vec![NOWHERE; all];
        let (mut found, mut there, mut next, mut missed) = (0, 0, 0, 0);
        while there < large.len() {
            let along = self.along(&large[there..], next);
            if along > 0 {
                for (start, there) in starts[next..][..along].iter_mut().zip(there..) {
                    // What comes more often there corresponds to nothing.
                    if *start == NOWHERE {
                        *start = there as u32;
                        found += 1;
                    }
                }
                (there, next) = (there + along, next + along);
                continue;
            }
            match self.find(large[there]) {
                Some((place, slot)) => {
                    next = place + 1;
                    if starts[place] == NOWHERE {
                        starts[place] = there as u32;
                        found += 1;
                        if let Some(at) = slot {
                            self.move_on(at, place);
                        }
                    }
                }
                None => {
                    missed += 1;
                    let most = found + large.len() - there - 1 + self.repeated;
                    if missed % STEPS == 0 && !enough(most.min(all)) {
                        self.restore();
                        return None;
                    }
                }
            }
            there += 1;
        }
        self.restore();
        for (place, &again) in self.again.iter().enumerate() {
            let next = again.wrapping_sub(1) as usize;
            if again != 0 && again != LAST && starts[place] != NOWHERE && starts[next] == NOWHERE {
                starts[next] = starts[place];
                found += 1;
            }
        }
        enough(found).then(|| Shared::of_starts(&starts))
    }
}

impl Drop for Places<'_> {
    fn drop(&mut self) {
        if self.slots.capacity() <= KEPT {
            SLOTS.set(std::mem::take(&mut self.slots));
        }
    }
}
