//! Heavy keys: keys that very many groups have, because they belong to a large family, a template or a disclaimer.
//!
//! Not all pairs of such a posting list can be compared. But a page that repeats a kept page decides nothing, so a family needs only the
//! probes of its few kept pages, which take the other pages off the lists. A [`ClosePolicy`] limits the remaining cost: if too many probes
//! of a list fail, its key belongs to a template and is no evidence, and the list is closed. A long list is closed at once if hardly any
//! sampled pair is related ([`HeavyKeys::close_templates`]). Consequently, pairs that share only such keys are not found. Lists only a
//! little longer than the limit for heavy keys are never closed ([`ClosePolicy::free_work`]).

use rayon::prelude::*;
use rustc_hash::FxHashSet;

use super::join::Join;
use crate::error::Result;
use crate::ids::GroupNo;
use crate::sketch::Bounds;
use crate::spill::{Memory, Row, Sorter, SpillRows};

/// The rule for closing a posting list.
#[derive(Clone, Copy, Debug)]
pub struct ClosePolicy {
    /// Minimum number of failed probes before a list is closed.
    pub failed_probes: u32,
    /// How many failed probes one successful probe compensates.
    pub credit: u32,
    /// Minimum number of probes before a list is closed. It is a little more than the size of a large component, so that a text quoted by
    /// all of the pages is retired and stays as a representative.
    pub probes: u32,
    /// How many probes one failed probe for a first match counts as; so 275 of them close a list.
    pub cost_of_first_probe: u32,
    /// How many entries are compared before a list may be closed: a list of up to 181 groups is never closed.
    pub free_work: u32,
    /// How many pairs are sampled from a list, ...
    pub sampled: usize,
    /// ... once with any of its groups, once with this number of its smallest ones.
    pub smallest: usize,
    /// After how many probes of a list its retired groups are removed.
    pub sweep_every: u32,
}

impl Default for ClosePolicy {
    fn default() -> Self {
        ClosePolicy {
            failed_probes: 64,
            credit: 8,
            probes: 1100,
            cost_of_first_probe: 4,
            free_work: 1 << 15,
            sampled: 32,
            smallest: 4,
            sweep_every: 8,
        }
    }
}

/// Steps whose multiples, modulo 1, fill the unit square evenly (powers of the inverse of the plastic number).
const SPREAD: [f64; 2] = [0.754_877_666_246_693, 0.569_840_290_998_053];
/// The maximum number of removed groups that represent the others.
pub(crate) const REPRESENTATIVES: usize = 4;

/// The posting lists of heavy keys that can make a pair. Entries are places in a [`Join`].
pub struct HeavyKeys<'a> {
    join: &'a Join,
    bounds: &'a (dyn Fn(usize) -> Bounds + Sync),
    policy: ClosePolicy,
    /// By rank, from the first heavy key on.
    lists: Vec<PostingList>,
    /// For each list the entries with the key in their prefix: each pair of the list consists of one of these and a larger group.
    probing: SpillRows<u32>,
}

#[derive(Debug, Default)]
struct PostingList {
    /// The remaining entries, and those of them that probe, once some were removed.
    left: Option<[Vec<u32>; 2]>,
    /// The removed entries with the fewest keys: ascending, at most [`REPRESENTATIVES`].
    representatives: Vec<u32>,
    probes: u32,
    may_fail: u32,
    /// The initial number of probes that may fail.
    patience: u32,
    /// Closed for good, even by [`HeavyKeys::reopen`].
    is_settled: bool,
}

impl PostingList {
    fn new(length: usize, policy: &ClosePolicy) -> PostingList {
        let free = policy.free_work / length.max(1) as u32;
        PostingList {
            left: None,
            representatives: Vec::new(),
            probes: policy.probes.max(free),
            may_fail: policy.failed_probes.max(free),
            patience: policy.failed_probes.max(free),
            is_settled: false,
        }
    }

    fn closed() -> PostingList {
        PostingList {
            is_settled: true,
            ..PostingList::default()
        }
    }

    fn is_open(&self) -> bool {
        self.probes > 0 && self.may_fail > 0
    }

    /// Whether one of these groups remains on the list; `rank` is the list's rank in the join.
    fn has_any(&self, groups: &[GroupNo], join: &Join, rank: u32) -> bool {
        let entries = match &self.left {
            _ if groups.is_empty() => return false,
            Some([entries, _]) => Row::Held(entries),
            None => join.list(rank),
        };
        let place = |group: &GroupNo| join.place(*group);
        groups
            .iter()
            .any(|group| entries.binary_search(&place(group)).is_ok())
    }

    /// Records a probe of this list that found these groups; returns whether one of them is on the list.
    fn probed(&mut self, found: &[GroupNo], join: &Join, rank: u32, policy: &ClosePolicy) -> bool {
        let found = self.has_any(found, join, rank);
        self.probes -= 1;
        self.count(found, policy);
        found
    }

    /// Counts a probe as success or failure.
    fn count(&mut self, found: bool, policy: &ClosePolicy) {
        self.may_fail = match found {
            true => self.patience.min(self.may_fail + policy.credit),
            false => self.may_fail - 1,
        };
    }

    /// Removes retired entries and remembers some of them.
    fn sweep(&mut self, [mut entries, mut probing]: [Vec<u32>; 2], is_live: impl Fn(&u32) -> bool) {
        let retired = entries.iter().filter(|&entry| !is_live(entry));
        self.representatives.extend(retired.take(REPRESENTATIVES));
        self.representatives.sort_unstable();
        self.representatives.truncate(REPRESENTATIVES);
        entries.retain(&is_live);
        probing.retain(&is_live);
        self.left = Some([entries, probing]);
    }
}

/// A probing group: its place in the join, its ranks, and which of them are heavy.
struct Prober<'r> {
    place: u32,
    ranks: Row<'r, u32>,
    first_heavy: usize,
}

impl Prober<'_> {
    fn heavy(&self) -> &[u32] {
        &self.ranks[self.first_heavy..]
    }
}

impl<'a> HeavyKeys<'a> {
    /// The posting lists of heavy keys that are in the prefix of at least one group.
    ///
    /// Errors: a temporary file cannot be written.
    pub fn new(
        join: &'a Join,
        bounds: &'a (dyn Fn(usize) -> Bounds + Sync),
        policy: ClosePolicy,
        memory: &Memory,
    ) -> Result<HeavyKeys<'a>> {
        let mut entries = Sorter::new(memory);
        for place in 0..join.len() {
            let ranks = join.ranks_of(place);
            let [_, heavy] = join.prefix(place, &ranks, &bounds);
            for &rank in &*heavy {
                entries.push([rank - join.first_heavy(), place as u32])?;
            }
        }
        let entries = entries.finish()?.map(|[number, place]| (number, place));
        let probing = SpillRows::gather(entries, join.heavy_count(), memory)?;
        // A key in no prefix makes no pair, so its list is closed.
        let list = |number: usize| match probing.count(number) {
            0 => PostingList::default(),
            _ => PostingList::new(join.length(join.first_heavy() + number as u32), &policy),
        };
        let mut heavy = HeavyKeys {
            join,
            bounds,
            policy,
            lists: (0..probing.len()).map(list).collect(),
            probing,
        };
        heavy.settle();
        Ok(heavy)
    }

    /// Makes lists that are closed now stay closed.
    pub fn settle(&mut self) {
        for list in &mut self.lists {
            list.is_settled = !list.is_open();
        }
    }

    /// Restores all lists, except those that were closed at [`HeavyKeys::settle`].
    pub fn reopen(&mut self) {
        for (list, rank) in self.lists.iter_mut().zip(self.join.first_heavy()..) {
            if !list.is_settled {
                *list = PostingList::new(self.join.length(rank), &self.policy);
            }
        }
    }

    /// Closes the open lists of more than `least` groups that `is_template` rejects. It gets pairs sampled at random, and pairs with one of
    /// the smallest probing groups: a text that many pages quote is one of these and is related to all others on its list, which are not
    /// related to each other. A sampled pair may be twice the same group, or out of bounds.
    pub fn close_templates(
        &mut self,
        least: usize,
        is_template: impl Fn(&[[GroupNo; 2]]) -> bool + Sync,
    ) {
        let this = &*self;
        let is_long = |&number: &usize| {
            let length = this.join.length(this.join.first_heavy() + number as u32);
            let work = this.policy.free_work as usize;
            this.lists[number].is_open() && length > least && length * length > work
        };
        let long = (0..this.lists.len()).into_par_iter().filter(is_long);
        let templates = long.filter(|&number| {
            let [entries, probing] = this.left(number);
            let sampled = |among: usize| this.sample(&probing, among, &entries);
            is_template(&sampled(probing.len())) && is_template(&sampled(this.policy.smallest))
        });
        for number in templates.collect::<Vec<usize>>() {
            self.lists[number] = PostingList::closed();
        }
    }

    /// Evenly spread pairs of one of the first `among` probing entries and any entry.
    fn sample(&self, probing: &[u32], among: usize, entries: &[u32]) -> Vec<[GroupNo; 2]> {
        let pairs = (1..=self.policy.sampled).map(|at| {
            let [a, b] = SPREAD.map(|step| (at as f64 * step).fract());
            let a = probing[(a * among.min(probing.len()) as f64) as usize];
            let b = entries[(b * entries.len() as f64) as usize];
            [a, b].map(|place| self.join.group(place))
        });
        pairs.collect()
    }

    /// Passes the groups on each open list to `take`.
    pub fn each_list(&self, mut take: impl FnMut(&mut dyn Iterator<Item = GroupNo>)) {
        for number in (0..self.lists.len()).filter(|&number| self.lists[number].is_open()) {
            let [entries, _] = self.left(number);
            take(&mut entries.iter().map(|&place| self.join.group(place)));
        }
    }

    /// The remaining entries of a list, and those of them that probe.
    fn left(&self, number: usize) -> [Row<'_, u32>; 2] {
        let list = &self.lists[number];
        match &list.left {
            _ if !list.is_open() => Default::default(),
            Some([entries, probing]) => [entries, probing].map(|list| Row::Held(list)),
            None => [
                self.join.list(self.join.first_heavy() + number as u32),
                self.probing.get(number),
            ],
        }
    }

    fn prober(&self, group: GroupNo) -> Prober<'_> {
        let place = self.join.place(group);
        let ranks = self.join.ranks_of(place as usize);
        let first_heavy = self.join.heavy_from(&ranks);
        Prober {
            place,
            ranks,
            first_heavy,
        }
    }

    /// Whether a group has an open list.
    pub fn has_open(&self, group: GroupNo) -> bool {
        let prober = self.prober(group);
        let mut numbers = self.numbers(prober.heavy());
        numbers.any(|number| self.lists[number].is_open())
    }

    /// Whether a list of the group was closed, so that it was not compared with all groups on that list.
    pub fn has_closed(&self, group: GroupNo) -> bool {
        let prober = self.prober(group);
        let mut numbers = self.numbers(prober.heavy());
        numbers.any(|number| !self.lists[number].is_open() && self.probing.count(number) > 0)
    }

    /// The original length of a group's longest open list; 0 if none is open.
    pub fn longest(&self, group: GroupNo) -> usize {
        let prober = self.prober(group);
        let numbers = self.numbers(prober.heavy());
        let open = numbers.filter(|&number| self.lists[number].is_open());
        let lengths = open.map(|number| self.join.length(self.join.first_heavy() + number as u32));
        lengths.max().unwrap_or(0)
    }

    fn numbers<'r>(&self, ranks: &'r [u32]) -> impl Iterator<Item = usize> + use<'r> {
        let first = self.join.first_heavy();
        ranks.iter().map(move |rank| (rank - first) as usize)
    }

    fn is_within(&self, prober: &Prober<'_>, other: u32) -> bool {
        self.join.is_within(
            prober.place,
            &prober.ranks,
            prober.heavy(),
            other,
            &self.bounds,
        )
    }

    /// The wanted groups on the open lists of a group, ascending by place. `is_wanted` can check bounds.
    pub fn candidates(
        &self,
        group: GroupNo,
        mut is_wanted: impl FnMut(GroupNo, &dyn Fn() -> bool) -> bool,
    ) -> Vec<GroupNo> {
        let prober = self.prober(group);
        let mut places: Vec<u32> = Vec::new();
        self.each_part(&prober, |others| {
            places.extend_from_slice(others);
            false
        });
        // Lists ascend, and lists of one template have the same groups, so a stable sort merges few runs.
        places.sort();
        places.dedup();
        places.retain(|&other| {
            let is_within = || self.is_within(&prober, other);
            is_wanted(self.join.group(other), &is_within)
        });
        places
            .into_iter()
            .map(|place| self.join.group(place))
            .collect()
    }

    /// Whether `test` holds for another group on the open lists of a group. Each is tested once, until one passes. `test` can check bounds,
    /// which takes longer than finding the group.
    pub fn any(
        &self,
        group: GroupNo,
        mut test: impl FnMut(GroupNo, &dyn Fn() -> bool) -> bool,
    ) -> bool {
        let prober = self.prober(group);
        let mut seen = FxHashSet::default();
        self.each_part(&prober, |others| {
            others.iter().any(|&other| {
                let is_within = || self.is_within(&prober, other);
                seen.insert(other) && test(self.join.group(other), &is_within)
            })
        })
    }

    /// Passes the parts of a prober's open lists that may be within bounds to `take`, until that returns true; returns whether it did.
    fn each_part(&self, prober: &Prober<'_>, mut take: impl FnMut(&[u32]) -> bool) -> bool {
        let place = prober.place;
        // Smaller groups with the key in their prefix, then larger ones if the key is in this group's prefix.
        for number in self.numbers(prober.heavy()) {
            let [_, probing] = self.left(number);
            let end = probing.partition_point(|&other| other < place);
            if take(&probing[..end]) {
                return true;
            }
        }
        let [_, prefix] = self
            .join
            .prefix(place as usize, &prober.ranks, &self.bounds);
        self.numbers(&prefix).any(|number| {
            let [entries, _] = self.left(number);
            let start = entries.partition_point(|&other| other <= place);
            take(&entries[start..])
        })
    }

    /// Some of the groups within bounds that were removed from this group's lists, ascending by place.
    pub fn representatives(&self, group: GroupNo) -> Vec<GroupNo> {
        let prober = self.prober(group);
        let lists = self.numbers(prober.heavy());
        let mut places: Vec<u32> = lists
            .flat_map(|number| self.lists[number].representatives.iter().copied())
            .filter(|&other| other != prober.place)
            .collect();
        places.sort_unstable();
        places.dedup();
        places.retain(|&other| self.is_within(&prober, other));
        places
            .into_iter()
            .map(|place| self.join.group(place))
            .collect()
    }

    /// Records that a group probed its lists and found these groups. The probe failed on a list with none of them: the page's family is no
    /// evidence for a template that is also on the page. `is_retired` says which groups need not be compared any more.
    pub fn probed(
        &mut self,
        group: GroupNo,
        found: &[GroupNo],
        is_retired: impl Fn(GroupNo) -> bool,
    ) {
        let (join, policy) = (self.join, self.policy);
        let is_live = |place: &u32| !is_retired(join.group(*place));
        self.each_open(group, |list, rank, whole| {
            let found = list.probed(found, join, rank, &policy);
            if list.is_open() && (found || list.probes % policy.sweep_every == 0) {
                let left = list.left.take().unwrap_or_else(whole);
                list.sweep(left, is_live);
            }
        });
    }

    /// As [`HeavyKeys::probed`], before any group is retired.
    pub fn probed_ahead(&mut self, group: GroupNo, found: &[GroupNo]) {
        let (join, policy) = (self.join, self.policy);
        self.each_open(group, |list, rank, _| {
            list.probed(found, join, rank, &policy);
        });
    }

    /// For each heavy key of a group, whether its list is open and another group is on it.
    pub fn shared_open(&self, group: GroupNo, other: GroupNo) -> Vec<bool> {
        let prober = self.prober(group);
        let other = self.join.place(other);
        // If the whole list is left, the other group's keys show whether it is on it, without a search.
        let others = self.join.ranks_of(other as usize);
        let is_shared = |&rank: &u32| {
            let list = &self.lists[(rank - self.join.first_heavy()) as usize];
            list.is_open()
                && match &list.left {
                    Some([entries, _]) => entries.binary_search(&other).is_ok(),
                    None => others.binary_search(&rank).is_ok(),
                }
        };
        prober.heavy().iter().map(is_shared).collect()
    }

    /// As [`HeavyKeys::probed`], for a probe that stopped at the first match. The match is on [these lists](HeavyKeys::shared_open);
    /// nothing is known about the other lists. On long lists many probes match by chance, so credit alone would keep a list open; therefore
    /// failed probes also count against the number of probes, and more than verified ones.
    pub fn probed_for_first(&mut self, group: GroupNo, found_on: Option<&[bool]>) {
        let policy = self.policy;
        let mut found_on = found_on.map(|found_on| found_on.iter());
        self.each(group, |list, _, _| {
            let found = found_on.as_mut().map(|found_on| found_on.next());
            match found {
                _ if !list.is_open() => {}
                None => {
                    list.count(false, &policy);
                    list.probes = list.probes.saturating_sub(policy.cost_of_first_probe);
                }
                Some(Some(true)) => list.count(true, &policy),
                Some(_) => {}
            }
        });
    }

    /// Changes the open lists of a group; `change` gets the rank and can get a list's original state.
    fn each_open(
        &mut self,
        group: GroupNo,
        mut change: impl FnMut(&mut PostingList, u32, &dyn Fn() -> [Vec<u32>; 2]),
    ) {
        self.each(group, |list, rank, whole| {
            if list.is_open() {
                change(list, rank, whole);
            }
        });
    }

    /// As [`HeavyKeys::each_open`], for all heavy keys of the group.
    fn each(
        &mut self,
        group: GroupNo,
        mut change: impl FnMut(&mut PostingList, u32, &dyn Fn() -> [Vec<u32>; 2]),
    ) {
        let ranks = self.join.ranks_of(self.join.place(group) as usize);
        for &rank in &ranks[self.join.heavy_from(&ranks)..] {
            let number = (rank - self.join.first_heavy()) as usize;
            let list = &mut self.lists[number];
            let whole = || {
                let lists = [self.join.list(rank), self.probing.get(number)];
                lists.map(|list| list.to_vec())
            };
            change(list, rank, &whole);
            if !list.is_open() {
                list.left = None;
            }
        }
    }
}
