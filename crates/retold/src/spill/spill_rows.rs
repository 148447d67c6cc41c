//! Rows of values, stored one after the other.

use std::borrow::Cow;
use std::iter::repeat_n;
use std::ops::Range;
use std::sync::Arc;

use bytemuck::Pod;
use rayon::prelude::*;

use super::memory::Memory;
use super::row::Row;
use super::row_cache::RowCache;
use super::sorter::Sorter;
use super::spill_vec::SpillVec;
use crate::error::Result;
use crate::ordered::in_order;

/// Rows of values by number, concatenated. Memory: 4 bytes per row, besides those of [`SpillVec`].
#[derive(Debug)]
pub struct SpillRows<T: Pod> {
    memory: Memory,
    values: SpillVec<T>,
    /// The last 32 bits of the end of each row.
    ends: Vec<u32>,
    /// The rows at whose ends the number of values passed another multiple of 2³².
    passed: Vec<usize>,
    /// Rows of a file that are read often.
    often: Option<RowCache<T>>,
}

impl<T: Pod + Send + Sync> Default for SpillRows<T> {
    fn default() -> Self {
        SpillRows::new(&Memory::default())
    }
}

impl<T: Pod + Send + Sync> SpillRows<T> {
    /// No rows.
    pub fn new(memory: &Memory) -> SpillRows<T> {
        SpillRows {
            memory: memory.clone(),
            values: SpillVec::new(memory),
            ends: Vec::new(),
            passed: Vec::new(),
            often: None,
        }
    }

    /// No rows; they go to a file in any case.
    pub(super) fn on_disk(memory: &Memory) -> Result<SpillRows<T>> {
        Ok(SpillRows {
            values: SpillVec::on_disk(memory)?,
            ..SpillRows::new(memory)
        })
    }

    /// Makes at least `count` rows from values with their row numbers, ascending.
    ///
    /// Errors: the temporary file cannot be written.
    pub fn gather(
        values: impl Iterator<Item = (u32, T)>,
        count: usize,
        memory: &Memory,
    ) -> Result<SpillRows<T>> {
        let (mut rows, mut values) = (SpillRows::new(memory), values.peekable());
        let mut together = Vec::new();
        while let Some((row, value)) = values.next() {
            rows.end_all(row as usize);
            together.push(value);
            if values.peek().is_none_or(|(next, _)| *next != row) {
                rows.push(&together)?;
                together.clear();
            }
        }
        rows.end_all(count);
        Ok(rows)
    }

    /// Ends rows until there are this many.
    fn end_all(&mut self, count: usize) {
        while self.len() < count {
            self.end();
        }
    }

    /// The number of rows.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// The number of values in all rows.
    pub fn values(&self) -> usize {
        self.values.len()
    }

    /// True if there are no rows.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// Adds a row.
    ///
    /// Errors: the temporary file cannot be written.
    pub fn push(&mut self, row: &[T]) -> Result<()> {
        self.values.extend(row)?;
        self.end();
        Ok(())
    }

    /// Adds a value to the row that the next [`SpillRows::end`] ends.
    pub fn add(&mut self, value: T) -> Result<()> {
        self.values.push(value)
    }

    /// Adds values to that row.
    pub fn extend(&mut self, values: &[T]) -> Result<()> {
        self.values.extend(values)
    }

    /// Ends a row.
    pub fn end(&mut self) {
        let end = self.values.len();
        while end >> 32 > self.passed.len() {
            self.passed.push(self.ends.len());
        }
        self.ends.push(end as u32);
    }

    /// A row.
    pub fn get(&self, row: usize) -> Row<'_, T> {
        let places = self.places(row);
        match self.values.held(places.start, places.len()) {
            Some(values) => Row::Held(values),
            None => self.read(row, |_| ()),
        }
    }

    /// A row of a file after `change`.
    pub(super) fn get_changed(&self, row: usize, change: impl FnOnce(&mut [T])) -> Row<'_, T> {
        self.read(row, change)
    }

    /// A row of the file after `change`, from the cache if there is one.
    fn read(&self, row: usize, change: impl FnOnce(&mut [T])) -> Row<'_, T> {
        let read = || {
            let places = self.places(row);
            let mut values: Arc<[T]> = repeat_n(T::zeroed(), places.len()).collect();
            if let Some(values) = Arc::get_mut(&mut values) {
                self.values.read(places.start, values);
                change(values);
            }
            values
        };
        Row::Read(match &self.often {
            None => read(),
            Some(often) => often.get(row, read),
        })
    }

    /// Keeps all rows in memory from now on, if they fit.
    pub fn recall(&mut self) {
        self.values.recall();
    }

    /// From now on, if rows are in a file, keeps those that are read repeatedly in 1/`part` of the memory left.
    pub fn read_often(&mut self, part: u64) {
        self.often = None;
        let is_in_file = self.values.is_in_file();
        self.often = is_in_file
            .then(|| RowCache::new(&self.memory, part))
            .flatten();
    }

    /// The number of values in a row.
    pub fn count(&self, row: usize) -> usize {
        self.places(row).len()
    }

    /// Passes all rows in order, reading one piece at a time.
    pub fn each(&self, mut take: impl FnMut(usize, &[T])) {
        for rows in self.pieces() {
            let piece = self.piece(rows);
            piece.rows().for_each(|(row, values)| take(row, values));
        }
    }

    /// Runs `make` on pieces of the rows, on all threads, and `take` on the results, in order.
    ///
    /// Errors: those of `take`.
    pub fn made<M: Send>(
        &self,
        make: impl Fn(&Piece<'_, T>) -> M + Sync,
        take: impl FnMut(&mut M) -> Result<()>,
    ) -> Result<()> {
        in_order(
            self.pieces().into_iter(),
            |rows| make(&self.piece(rows)),
            take,
        )
    }

    /// Changes all rows in place, on all threads.
    ///
    /// Errors: a temporary file cannot be written.
    pub fn update(&mut self, change: impl Fn(&mut [T]) + Sync) -> Result<()> {
        self.often = None;
        let pieces = self.pieces();
        let (ends, passed) = (&self.ends, &self.passed);
        if let Some(mut values) = self.values.in_memory() {
            let mut start = 0;
            let slices = pieces.into_iter().map(|rows| {
                let end = end_of(ends, passed, rows.end - 1);
                let (piece, behind) = std::mem::take(&mut values).split_at_mut(end - start);
                (values, start) = (behind, end);
                (rows, piece)
            });
            let slices: Vec<(Range<usize>, &mut [T])> = slices.collect();
            slices.into_par_iter().for_each(|(rows, piece)| {
                let start = places(ends, passed, rows.start).start;
                for row in rows {
                    let places = places(ends, passed, row);
                    change(&mut piece[places.start - start..places.end - start]);
                }
            });
            return Ok(());
        }
        let mut changed = SpillVec::on_disk(&self.memory)?;
        let all = |piece: &Piece<'_, T>| {
            let mut values = piece.values.to_vec();
            for row in piece.rows.clone() {
                change(&mut values[piece.places(row)]);
            }
            values
        };
        self.made(all, |values| changed.extend(values))?;
        self.values = changed;
        Ok(())
    }

    /// All rows, in memory while they are used.
    pub fn whole(&self) -> Piece<'_, T> {
        self.piece(0..self.len())
    }

    /// These rows, in memory while they are used.
    pub(crate) fn piece(&self, rows: Range<usize>) -> Piece<'_, T> {
        let places = match rows.is_empty() {
            true => 0..0,
            false => self.places(rows.start).start..self.end_of(rows.end - 1),
        };
        Piece {
            values: self.values.get(places.start, places.len()),
            start: places.start,
            rows,
            all: self,
        }
    }

    /// Splits all rows into pieces of this many rows or values, or of one longer row.
    fn pieces(&self) -> Vec<Range<usize>> {
        let sizes = self.memory.sizes();
        let most = sizes.part / size_of::<T>().max(1);
        let (mut pieces, mut begun, mut start) = (Vec::new(), 0, 0);
        for row in 0..self.len() {
            let places = self.places(row);
            if row > begun && (places.end - start > most || row - begun == sizes.part_rows) {
                pieces.push(begun..row);
                (begun, start) = (row, places.start);
            }
        }
        if begun < self.len() {
            pieces.push(begun..self.len());
        }
        pieces
    }

    /// Where the values of a row are.
    fn places(&self, row: usize) -> Range<usize> {
        places(&self.ends, &self.passed, row)
    }

    fn end_of(&self, row: usize) -> usize {
        end_of(&self.ends, &self.passed, row)
    }
}

impl SpillRows<u32> {
    /// For each value below `count`, the rows that contain it, ascending, with repetitions. All values must be below `count`. Linear in
    /// time and memory, unless memory is short and pairs are sorted in files.
    ///
    /// Errors: a temporary file cannot be written.
    pub fn inverted(&self, count: usize) -> Result<SpillRows<u32>> {
        if self.passed.is_empty()
            && let Some(all) = self.values.held(0, self.values())
            && let Some(held) = SpillVec::zeros(all.len(), &self.memory)
        {
            return Ok(self.inverted_in(held, all, count));
        }
        let mut pairs = Sorter::new(&self.memory);
        let pairs_of = |piece: &Piece<'_, u32>| -> Vec<[u32; 2]> {
            let rows = piece.rows();
            rows.flat_map(|(row, values)| values.iter().map(move |&value| [value, row as u32]))
                .collect()
        };
        self.made(pairs_of, |piece| pairs.extend(piece))?;
        let pairs = pairs.finish()?.map(|[value, row]| (value, row));
        SpillRows::gather(pairs, count, &self.memory)
    }

    /// As [`SpillRows::inverted`] in memory, by counting sort.
    fn inverted_in(&self, mut held: SpillVec<u32>, all: &[u32], count: usize) -> SpillRows<u32> {
        let mut ends = vec![0u32; count];
        all.iter().for_each(|&value| ends[value as usize] += 1);
        // First the start of each value's rows, then the position for the next row.
        let mut start = 0;
        for end in &mut ends {
            start += std::mem::replace(end, start);
        }
        if let Some(inverted) = held.in_memory() {
            for row in 0..self.len() {
                for &value in &all[self.places(row)] {
                    let end = &mut ends[value as usize];
                    inverted[*end as usize] = row as u32;
                    *end += 1;
                }
            }
        }
        SpillRows {
            values: held,
            ends,
            ..SpillRows::new(&self.memory)
        }
    }
}

fn places(ends: &[u32], passed: &[usize], row: usize) -> Range<usize> {
    let start = row
        .checked_sub(1)
        .map_or(0, |before| end_of(ends, passed, before));
    start..end_of(ends, passed, row)
}

fn end_of(ends: &[u32], passed: &[usize], row: usize) -> usize {
    let high = passed.partition_point(|&passed| passed <= row);
    (high << 32) + ends[row] as usize
}

/// Consecutive rows in memory.
#[derive(Debug)]
pub struct Piece<'a, T: Pod> {
    values: Cow<'a, [T]>,
    /// The position of the first value among all values.
    start: usize,
    rows: Range<usize>,
    all: &'a SpillRows<T>,
}

impl<T: Pod + Send + Sync> Piece<'_, T> {
    /// The bytes of all its rows.
    pub fn bytes(&self) -> u64 {
        size_of_val(&self.values[..]) as u64
    }

    /// A row.
    pub fn row(&self, row: usize) -> &[T] {
        &self.values[self.places(row)]
    }

    /// All rows with their numbers.
    pub fn rows(&self) -> impl Iterator<Item = (usize, &[T])> {
        self.rows.clone().map(|row| (row, self.row(row)))
    }

    fn places(&self, row: usize) -> Range<usize> {
        let places = self.all.places(row);
        places.start - self.start..places.end - self.start
    }
}
