use std::fmt;

/// A long column of an answer, as it arrives from a typed array.
#[derive(Clone, Debug, PartialEq)]
pub enum Column {
    /// From a `Float32Array`.
    F32(Vec<f32>),
    /// From a `Float64Array`.
    F64(Vec<f64>),
    /// From a `Uint32Array`.
    U32(Vec<u32>),
    /// From a `Uint8Array`.
    U8(Vec<u8>),
}

/// A long column of an answer, as it goes into a typed array.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ColumnRef<'a> {
    /// For a `Float32Array`.
    F32(&'a [f32]),
    /// For a `Float64Array`.
    F64(&'a [f64]),
    /// For a `Uint32Array`.
    U32(&'a [u32]),
    /// For a `Uint8Array`.
    U8(&'a [u8]),
}

/// Why a column cannot be put into an answer: the two ends disagree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ColumnError {
    /// The name of the column.
    pub name: String,
    /// What was expected instead.
    pub expected: &'static str,
}

impl ColumnRef<'_> {
    /// How many values it has.
    pub const fn len(self) -> usize {
        match self {
            ColumnRef::F32(values) => values.len(),
            ColumnRef::F64(values) => values.len(),
            ColumnRef::U32(values) => values.len(),
            ColumnRef::U8(values) => values.len(),
        }
    }

    /// Whether it has none; then it need not travel.
    pub const fn is_empty(self) -> bool {
        self.len() == 0
    }

    /// A copy that owns its values.
    pub fn to_column(self) -> Column {
        match self {
            ColumnRef::F32(values) => Column::F32(values.to_vec()),
            ColumnRef::F64(values) => Column::F64(values.to_vec()),
            ColumnRef::U32(values) => Column::U32(values.to_vec()),
            ColumnRef::U8(values) => Column::U8(values.to_vec()),
        }
    }
}

impl fmt::Display for ColumnError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "column {:?} does not belong to the answer: expected {}", self.name, self.expected)
    }
}

impl std::error::Error for ColumnError {}

/// A field that travels as a typed array.
pub(crate) trait ColumnField {
    fn borrow(&self) -> ColumnRef<'_>;
    fn put(&mut self, name: &str, column: Column) -> Result<(), ColumnError>;
}

macro_rules! column_field {
    ($variant:ident, $number:ty, $array:literal) => {
        impl ColumnField for Vec<$number> {
            fn borrow(&self) -> ColumnRef<'_> {
                ColumnRef::$variant(self)
            }

            fn put(&mut self, name: &str, column: Column) -> Result<(), ColumnError> {
                let Column::$variant(values) = column else {
                    return Err(ColumnError { name: name.to_owned(), expected: $array });
                };
                *self = values;
                Ok(())
            }
        }
    };
}

column_field!(F32, f32, "a Float32Array");
column_field!(F64, f64, "a Float64Array");
column_field!(U32, u32, "a Uint32Array");
column_field!(U8, u8, "a Uint8Array");

/// A struct some of whose fields travel as typed arrays.
pub(crate) trait Bulk {
    /// The columns with their names, which are unique within an answer.
    fn columns(&self) -> Vec<(&'static str, ColumnRef<'_>)>;
    /// Puts a column back.
    fn set_column(&mut self, name: &str, column: Column) -> Result<(), ColumnError>;
}

/// Lists the column fields of a struct once, for both directions.
macro_rules! bulk {
    ($struct:ty { $($name:literal => $($field:ident).+),+ $(,)? }) => {
        impl $crate::column::Bulk for $struct {
            fn columns(&self) -> Vec<(&'static str, $crate::ColumnRef<'_>)> {
                vec![$(($name, $crate::column::ColumnField::borrow(&self.$($field).+))),+]
            }

            fn set_column(&mut self, name: &str, column: $crate::Column) -> Result<(), $crate::ColumnError> {
                match name {
                    $($name => $crate::column::ColumnField::put(&mut self.$($field).+, name, column),)+
                    _ => Err($crate::ColumnError {
                        name: name.to_owned(),
                        expected: concat!("one of" $(, " ", $name)+),
                    }),
                }
            }
        }
    };
}
pub(crate) use bulk;
