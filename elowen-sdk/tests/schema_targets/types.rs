//! Parameter types, one for each thing that serde and schemars let an author say.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet, HashMap};

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value};

macro_rules! types {
    ($($item:item)*) => { $( #[derive(Deserialize, JsonSchema)] #[allow(dead_code)] $item )* };
}

types! {
    pub(crate) struct T01Unit;
    pub(crate) struct T02Empty {}
    /// Returns the supplied text.
    pub(crate) struct T03Simple {
        /// Text to return.
        value: String,
    }
    pub(crate) struct T04Ints { a: i32, b: u32, c: i64, d: u64, e: usize, f: u8, g: i16 }
    pub(crate) struct T05Scalars { x: f64, y: f32, ok: bool, c: char }
    pub(crate) struct T06Option {
        /// Search text
        query: String,
        /// Max results (default 6)
        limit: Option<u32>,
        tag: Option<String>,
    }
    pub(crate) struct T07Defaults {
        #[serde(default)]
        n: u32,
        #[serde(default = "six")]
        limit: u32,
        #[serde(default)]
        tags: Vec<String>,
        #[serde(default)]
        on: bool,
        #[serde(default = "mode")]
        mode: String,
    }
    pub(crate) struct T08Vecs { paths: Vec<String>, maybe: Vec<Option<i32>>, set: BTreeSet<String> }
    pub(crate) struct T09Maps { scores: BTreeMap<String, f64>, by: HashMap<Sort, i32> }
    pub(crate) struct T10UnitEnum { order: Sort }
    pub(crate) struct T11DocEnum {
        /// How to run it
        mode: Mode,
    }
    pub(crate) struct T12OptEnum { order: Option<Sort> }
    pub(crate) struct T13ExtEnum { shape: ShapeExt }
    pub(crate) struct T14IntEnum { shape: ShapeInt }
    pub(crate) struct T15AdjEnum { shape: ShapeAdj }
    pub(crate) struct T16Untagged { id: IdOrName }
    pub(crate) struct T17Nested {
        /// Where to look
        at: Point,
        other: Point,
    }
    pub(crate) struct T18OptNested {
        /// Where to look
        at: Option<Point>,
    }
    pub(crate) struct T19Flatten {
        q: String,
        #[serde(flatten)]
        page: Page,
    }
    #[serde(rename_all = "camelCase")]
    pub(crate) struct T20Rename {
        file_path: String,
        #[serde(rename = "ref")]
        git_ref: String,
        #[serde(alias = "n")]
        max_count: u8,
        #[serde(skip)]
        hidden: u8,
        r#type: String,
    }
    pub(crate) struct T21Validate {
        #[schemars(range(min = 1, max = 100))]
        limit: u32,
        #[schemars(length(min = 1, max = 64))]
        name: String,
        #[schemars(regex(pattern = r"^[a-z]+$"))]
        slug: String,
        #[schemars(email)]
        mail: String,
        #[schemars(url)]
        link: String,
        #[schemars(length(min = 1))]
        tags: Vec<String>,
    }
    pub(crate) struct T22Any { v: Value, m: Map<String, Value>, l: Vec<Value> }
    pub(crate) struct T23Tuple { p: (f64, f64), mixed: (String, u32), rgb: [f32; 3], id: UserId }
    pub(crate) struct T24Recursive { root: Node }
    #[serde(deny_unknown_fields)]
    pub(crate) struct T25Deny { a: String, b: Option<bool> }
    pub(crate) struct T26Generic { page: Paged<Point> }
    pub(crate) struct T27With {
        #[schemars(with = "String")]
        raw: u64,
        #[schemars(schema_with = "hex_color")]
        color: String,
    }
    pub(crate) struct T28Ext {
        at: chrono::DateTime<chrono::Utc>,
        day: chrono::NaiveDate,
        id: uuid::Uuid,
        url: url::Url,
        path: std::path::PathBuf,
        wait: std::time::Duration,
        nz: std::num::NonZeroU32,
    }
    pub(crate) struct T29Cow<'a> {
        #[serde(borrow)]
        a: Cow<'a, str>,
        b: &'a str,
    }
    /// Runs a search.
    ///
    /// Long text that
    /// spans lines.
    /// - item
    pub(crate) struct T30Docs {
        /// First line
        /// continues here.
        ///
        /// New paragraph.
        q: String,
    }
    pub(crate) struct T31Examples {
        #[schemars(example = "src/lib.rs", example = "Cargo.toml")]
        path: String,
        #[schemars(extend("x-foo" = 1))]
        z: u8,
        #[deprecated]
        old: Option<u8>,
    }
    pub(crate) struct T32Repr { level: Level }
    pub(crate) struct T33ReqOption {
        #[schemars(required)]
        v: Option<i32>,
    }
    #[serde(tag = "op", rename_all = "snake_case")]
    pub(crate) enum T34RootEnum { Add { a: f64, b: f64 }, Neg { a: f64 } }
    pub(crate) struct T35Newtype(Point);

    pub(crate) enum Mode {
        /// Runs once and exits
        Job,
        /// Keeps running
        Service,
    }
    pub(crate) enum ShapeExt { Circle { r: f64 }, Square(f64), Unit }
    #[serde(tag = "type")]
    pub(crate) enum ShapeInt { Circle { r: f64 }, Square { side: f64 }, Empty }
    #[serde(tag = "t", content = "c")]
    pub(crate) enum ShapeAdj { Circle { r: f64 }, Square(f64), Empty }
    #[serde(untagged)]
    pub(crate) enum IdOrName { Id(u64), Name(String) }
    /// A point on the plane.
    pub(crate) struct Point {
        /// X coordinate
        x: f64,
        y: Option<f64>,
    }
    pub(crate) struct Page {
        #[serde(default)]
        offset: u32,
        limit: Option<u32>,
    }
    pub(crate) struct UserId(u64);
    pub(crate) struct Node { v: String, kids: Vec<Node> }
    pub(crate) struct Paged<T> { items: Vec<T>, next: Option<String> }

    pub(crate) struct Flattened {
        q: String,
        #[serde(flatten)]
        shape: ShapeInt,
    }
    pub(crate) enum Never {}
    pub(crate) struct WithNever { at: Vec<Never> }
    pub(crate) struct Hyphenated {
        page: HyphenatedInner,
    }
    #[serde(rename_all = "kebab-case")]
    pub(crate) struct HyphenatedInner { max_count: u32 }
    pub(crate) struct Reserved { _reason: String }
    pub(crate) struct TwoUnions { inner: TwoFlattened }
    pub(crate) struct TwoFlattened {
        #[serde(flatten)]
        a: ShapeInt,
        #[serde(flatten)]
        b: ShapeAdj,
    }
    pub(crate) struct Tree { label: String, children: Vec<Tree> }
    pub(crate) struct ByNumber { names: BTreeMap<u32, String>, signed: HashMap<i64, Option<bool>> }
}

#[derive(Deserialize, JsonSchema, Hash, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
#[allow(dead_code)]
pub(crate) enum Sort {
    Asc,
    Desc,
}

#[derive(serde_repr::Deserialize_repr, schemars::JsonSchema_repr)]
#[repr(u8)]
#[allow(dead_code)]
pub(crate) enum Level {
    Low = 1,
    High = 2,
}

pub(crate) fn six() -> u32 {
    6
}

pub(crate) fn mode() -> String {
    "content".into()
}

pub(crate) fn hex_color(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
    schemars::json_schema!({"type": "string", "pattern": "^#[0-9a-f]{6}$"})
}
