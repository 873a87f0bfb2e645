//! Where is a deserializer when it fails?
//!
//! [`Tracked`] passes everything through to the deserializer it wraps and keeps count of the members it is in. The
//! count stays where it is on failure. It counts members rather than noting their names: those are in the text.
//! Besides it refuses numbers that an `f32` cannot hold, which serde would make infinite. What serde reads through
//! a buffer of its own (below `flatten`, `untagged` or a tag) is out of sight: there the buffer's place counts.

use serde::de::{
    DeserializeSeed, Deserializer, EnumAccess, Error, MapAccess, SeqAccess, Unexpected, VariantAccess,
    Visitor,
};
use std::{
    cell::{Cell, RefCell},
    fmt,
};

/// What is known while reading.
#[derive(Default)]
pub(super) struct Track {
    steps: RefCell<Vec<usize>>,
    in_key: Cell<bool>,
    asked: Cell<Option<&'static str>>,
}

/// What is known of a failure.
pub(super) struct Failure {
    /// From the root, the number of the member of each object or array.
    pub(super) steps: Vec<usize>,
    /// Whether the last step leads to the member's name instead of its value.
    pub(super) in_key: bool,
    /// What the innermost type asked for: the name of a number type, `enum`, `seq` ...
    pub(super) asked: Option<&'static str>,
}

impl Track {
    pub(super) fn into_failure(self) -> Failure {
        let Track { steps, in_key, asked } = self;
        Failure { steps: steps.into_inner(), in_key: in_key.get(), asked: asked.get() }
    }

    /// Does `work` inside of the member with that number.
    fn inside<T, E>(&self, member: usize, work: impl FnOnce() -> Result<T, E>) -> Result<T, E> {
        let depth = self.steps.borrow().len();
        self.steps.borrow_mut().push(member);
        let done = work();
        if done.is_ok() {
            self.steps.borrow_mut().truncate(depth);
        }
        done
    }

    /// Notes what was asked for, if that failed and nothing further in did.
    fn note<T, E>(&self, asked: &'static str, done: Result<T, E>) -> Result<T, E> {
        if done.is_err() && self.asked.get().is_none() {
            self.asked.set(Some(asked));
        }
        done
    }
}

/// A deserializer, visitor, seed or access whose ways are tracked. `at` is the number of the next member.
pub(super) struct Tracked<'t, X> {
    inner: X,
    track: &'t Track,
    at: usize,
    is_f32: bool,
}

impl<'t, X> Tracked<'t, X> {
    pub(super) fn new(inner: X, track: &'t Track) -> Self {
        Tracked { inner, track, at: 0, is_f32: false }
    }
}

macro_rules! pass {
    ($($method:ident($asked:literal $(, $argument:ident: $ty:ty)*);)*) => { $(
        fn $method<V: Visitor<'de>>(self, $($argument: $ty,)* visitor: V) -> Result<V::Value, D::Error> {
            let visitor = Tracked { is_f32: $asked == "f32", ..Tracked::new(visitor, self.track) };
            self.track.note($asked, self.inner.$method($($argument,)* visitor))
        }
    )* };
}

impl<'de, D: Deserializer<'de>> Deserializer<'de> for Tracked<'_, D> {
    type Error = D::Error;

    pass! {
        deserialize_any("any");
        deserialize_bool("bool");
        deserialize_i8("i8");
        deserialize_i16("i16");
        deserialize_i32("i32");
        deserialize_i64("i64");
        deserialize_i128("i128");
        deserialize_u8("u8");
        deserialize_u16("u16");
        deserialize_u32("u32");
        deserialize_u64("u64");
        deserialize_u128("u128");
        deserialize_f32("f32");
        deserialize_f64("f64");
        deserialize_char("char");
        deserialize_str("str");
        deserialize_string("str");
        deserialize_bytes("bytes");
        deserialize_byte_buf("bytes");
        deserialize_option("option");
        deserialize_unit("unit");
        deserialize_unit_struct("unit", name: &'static str);
        deserialize_newtype_struct("newtype", name: &'static str);
        deserialize_seq("seq");
        deserialize_tuple("seq", len: usize);
        deserialize_tuple_struct("seq", name: &'static str, len: usize);
        deserialize_map("map");
        deserialize_struct("map", name: &'static str, fields: &'static [&'static str]);
        deserialize_enum("enum", name: &'static str, variants: &'static [&'static str]);
        deserialize_identifier("str");
        deserialize_ignored_any("any");
    }

    fn is_human_readable(&self) -> bool {
        self.inner.is_human_readable()
    }
}

macro_rules! hand_on {
    ($($method:ident: $ty:ty;)*) => { $(
        fn $method<E: Error>(self, value: $ty) -> Result<V::Value, E> {
            self.inner.$method(value)
        }
    )* };
}

impl<'de, V: Visitor<'de>> Visitor<'de> for Tracked<'_, V> {
    type Value = V::Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.inner.expecting(f)
    }

    hand_on! {
        visit_bool: bool;
        visit_i64: i64;
        visit_i128: i128;
        visit_u64: u64;
        visit_u128: u128;
        visit_str: &str;
        visit_borrowed_str: &'de str;
        visit_string: String;
        visit_bytes: &[u8];
        visit_borrowed_bytes: &'de [u8];
        visit_byte_buf: Vec<u8>;
    }

    fn visit_f64<E: Error>(self, value: f64) -> Result<V::Value, E> {
        #[allow(clippy::cast_possible_truncation)] // What it would become is the question.
        if self.is_f32 && value.is_finite() && !(value as f32).is_finite() {
            return Err(E::invalid_value(Unexpected::Float(value), &"f32"));
        }
        self.inner.visit_f64(value)
    }

    fn visit_none<E: Error>(self) -> Result<V::Value, E> {
        self.inner.visit_none()
    }

    fn visit_unit<E: Error>(self) -> Result<V::Value, E> {
        self.inner.visit_unit()
    }

    fn visit_some<D: Deserializer<'de>>(self, inner: D) -> Result<V::Value, D::Error> {
        self.inner.visit_some(Tracked::new(inner, self.track))
    }

    fn visit_newtype_struct<D: Deserializer<'de>>(self, inner: D) -> Result<V::Value, D::Error> {
        self.inner.visit_newtype_struct(Tracked::new(inner, self.track))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, inner: A) -> Result<V::Value, A::Error> {
        self.inner.visit_seq(Tracked::new(inner, self.track))
    }

    fn visit_map<A: MapAccess<'de>>(self, inner: A) -> Result<V::Value, A::Error> {
        self.inner.visit_map(Tracked::new(inner, self.track))
    }

    fn visit_enum<A: EnumAccess<'de>>(self, inner: A) -> Result<V::Value, A::Error> {
        self.inner.visit_enum(Tracked::new(inner, self.track))
    }
}

impl<'de, S: DeserializeSeed<'de>> DeserializeSeed<'de> for Tracked<'_, S> {
    type Value = S::Value;

    fn deserialize<D: Deserializer<'de>>(self, inner: D) -> Result<S::Value, D::Error> {
        self.inner.deserialize(Tracked::new(inner, self.track))
    }
}

impl<'de, A: SeqAccess<'de>> SeqAccess<'de> for Tracked<'_, A> {
    type Error = A::Error;

    fn next_element_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<Option<S::Value>, A::Error> {
        let (track, at) = (self.track, self.at);
        self.at += 1;
        track.inside(at, || self.inner.next_element_seed(Tracked::new(seed, track)))
    }

    fn size_hint(&self) -> Option<usize> {
        self.inner.size_hint()
    }
}

impl<'de, A: MapAccess<'de>> MapAccess<'de> for Tracked<'_, A> {
    type Error = A::Error;

    fn next_key_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<Option<S::Value>, A::Error> {
        let (track, at) = (self.track, self.at);
        let key = track.inside(at, || self.inner.next_key_seed(Tracked::new(seed, track)));
        track.in_key.set(key.is_err());
        key
    }

    fn next_value_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<S::Value, A::Error> {
        let (track, at) = (self.track, self.at);
        self.at += 1;
        track.inside(at, || self.inner.next_value_seed(Tracked::new(seed, track)))
    }

    fn size_hint(&self) -> Option<usize> {
        self.inner.size_hint()
    }
}

impl<'de, 't, A: EnumAccess<'de>> EnumAccess<'de> for Tracked<'t, A> {
    type Error = A::Error;
    type Variant = Tracked<'t, A::Variant>;

    fn variant_seed<S: DeserializeSeed<'de>>(self, seed: S) -> Result<(S::Value, Self::Variant), A::Error> {
        let (name, variant) = self.inner.variant_seed(seed)?;
        Ok((name, Tracked::new(variant, self.track)))
    }
}

impl<'de, A: VariantAccess<'de>> VariantAccess<'de> for Tracked<'_, A> {
    type Error = A::Error;

    fn unit_variant(self) -> Result<(), A::Error> {
        self.inner.unit_variant()
    }

    fn newtype_variant_seed<S: DeserializeSeed<'de>>(self, seed: S) -> Result<S::Value, A::Error> {
        let track = self.track;
        track.inside(0, || self.inner.newtype_variant_seed(Tracked::new(seed, track)))
    }

    fn tuple_variant<V: Visitor<'de>>(self, len: usize, visitor: V) -> Result<V::Value, A::Error> {
        let track = self.track;
        let read = || self.inner.tuple_variant(len, Tracked::new(visitor, track));
        track.inside(0, || track.note("seq", read()))
    }

    fn struct_variant<V: Visitor<'de>>(
        self,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, A::Error> {
        let track = self.track;
        let read = || self.inner.struct_variant(fields, Tracked::new(visitor, track));
        track.inside(0, || track.note("map", read()))
    }
}
