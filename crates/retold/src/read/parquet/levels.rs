//! Columns of any depth as Parquet stores them: values with levels.

use ::parquet::column::reader::{ColumnReader, ColumnReaderImpl};
use ::parquet::column::writer::ColumnWriterImpl;
use ::parquet::data_type as of;
use ::parquet::errors::ParquetError;
use ::parquet::file::reader::RowGroupReader;

/// Rows read at a time. Both passes use the same number, so that damage stops both at the same row.
pub(super) const BATCH_ROWS: usize = 256;

/// Reads a whole column, as copying does.
pub(super) fn read_through(
    from: &dyn RowGroupReader,
    leaf: usize,
    rows: usize,
) -> ::parquet::errors::Result<()> {
    use ColumnReader as From;
    let about = from.metadata().column(leaf).column_descr_ptr();
    let highest = [about.max_def_level(), about.max_rep_level()];
    match from.get_column_reader(leaf)? {
        From::BoolColumnReader(reader) => through(reader, rows, highest),
        From::Int32ColumnReader(reader) => through(reader, rows, highest),
        From::Int64ColumnReader(reader) => through(reader, rows, highest),
        From::Int96ColumnReader(reader) => through(reader, rows, highest),
        From::FloatColumnReader(reader) => through(reader, rows, highest),
        From::DoubleColumnReader(reader) => through(reader, rows, highest),
        From::ByteArrayColumnReader(reader) => through(reader, rows, highest),
        From::FixedLenByteArrayColumnReader(reader) => through(reader, rows, highest),
    }
    .map_err(|error| ParquetError::General(format!("column `{}`: {error}", about.path().string())))
}

fn through<T: of::DataType>(
    mut from: ColumnReaderImpl<T>,
    rows: usize,
    highest: [i16; 2],
) -> ::parquet::errors::Result<()> {
    let mut cells = Levels::<T::T>::default();
    let mut left = rows;
    while left > 0 {
        cells.clear();
        cells.read(&mut from, left.min(BATCH_ROWS), highest)?;
        left -= left.min(BATCH_ROWS);
    }
    Ok(())
}

/// Some rows of a column. If the column has levels, there is one of each kind for every value, null and empty list.
#[derive(Default)]
pub(super) struct Levels<T> {
    values: Vec<T>,
    /// Definition levels: how much of the path to a value is present; the highest marks a value.
    filled: Vec<i16>,
    /// Repetition levels: zero at the first value of a row.
    repeated: Vec<i16>,
}

impl<T> Levels<T> {
    pub(super) fn clear(&mut self) {
        self.values.clear();
        self.filled.clear();
        self.repeated.clear();
    }

    /// Reads this many rows of a column; `highest` has the maximum levels.
    pub(super) fn read<D: of::DataType<T = T>>(
        &mut self,
        from: &mut ColumnReaderImpl<D>,
        rows: usize,
        highest: [i16; 2],
    ) -> ::parquet::errors::Result<()> {
        let (filled, repeated) = (&mut self.filled, &mut self.repeated);
        let (read, _, _) =
            from.read_records(rows, Some(filled), Some(repeated), &mut self.values)?;
        // The writer panics if levels are too high.
        let sound = |levels: &[i16], highest| levels.iter().all(|level| *level <= highest);
        if sound(&self.filled, highest[0]) && sound(&self.repeated, highest[1]) && read == rows {
            return Ok(());
        }
        Err(ParquetError::EOF(
            "a column of other length or depth".into(),
        ))
    }

    pub(super) fn write<D: of::DataType<T = T>>(
        &self,
        to: &mut ColumnWriterImpl<D>,
    ) -> ::parquet::errors::Result<()> {
        if self.values.is_empty() && self.filled.is_empty() {
            return Ok(());
        }
        let [filled, repeated] = [&self.filled, &self.repeated]
            .map(|levels| (!levels.is_empty()).then_some(levels.as_slice()));
        to.write_batch(&self.values, filled, repeated).map(|_| ())
    }

    /// Replaces values in a column with one value per row; `full` is the definition level of a value that is not null.
    pub(super) fn change(&mut self, full: i16, mut change: impl FnMut(usize, &T) -> Option<T>) {
        let levels = self.filled.len().max(self.values.len());
        let filled = |row: &usize| self.filled.get(*row).is_none_or(|level| *level == full);
        let rows: Vec<usize> = (0..levels).filter(filled).collect();
        for (row, value) in rows.into_iter().zip(&mut self.values) {
            if let Some(other) = change(row, value) {
                *value = other;
            }
        }
    }

    /// Drops the rows that are not kept.
    pub(super) fn keep(&mut self, kept: &[bool], full: i16) {
        let mut row = 0;
        let levels = self.filled.len().max(self.values.len());
        let keeps = (0..levels).map(|level| {
            row += usize::from(self.repeated.get(level).is_none_or(|level| *level == 0));
            row > 0 && kept.get(row - 1) == Some(&true)
        });
        let keeps = keeps.collect::<Vec<_>>();
        let filled = |level: &usize| self.filled.get(*level).is_none_or(|level| *level == full);
        let mut values = (0..levels).filter(filled).map(|level| keeps[level]);
        self.values.retain(|_| values.next() == Some(true));
        for levels in [&mut self.filled, &mut self.repeated] {
            let mut keeps = keeps.iter();
            levels.retain(|_| keeps.next() == Some(&true));
        }
    }
}
