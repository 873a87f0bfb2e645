//! What does a number's text say, without reading it into a float?

use std::cmp::Ordering;

use serde_json::Number;

use super::json::{Json, Kind};

/// Below this every integer has a float of its own.
const EXACT: i64 = 1 << 53;

/// Whether the text is a JSON number.
pub(super) fn is_number(text: &str) -> bool {
    Json::parse(text, 0).is_ok_and(|value| value.kind() == Kind::Number && value.raw().len() == text.len())
}

/// Whether a JSON number is written as an integer. `-0` is not: parsers read it as a float.
pub(super) fn is_integer(raw: &str) -> bool {
    raw != "-0" && !raw.contains(['.', 'e', 'E'])
}

/// Whether a plugin's parser can hold the number; `1e999` it cannot.
pub(super) fn is_finite(raw: &str) -> bool {
    raw.parse::<f64>().is_ok_and(f64::is_finite)
}

/// The integer that a number in decimal or exponent form is, exactly, if it is below 2^53: 5 for `5.0` or `0.5e1`.
pub(super) fn whole(raw: &str) -> Option<i64> {
    let (negative, raw) = match raw.strip_prefix('-') {
        Some(raw) => (true, raw),
        None => (false, raw),
    };
    let (mantissa, exponent) = raw.split_once(['e', 'E']).unwrap_or((raw, "0"));
    let (integer, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let digits = format!("{integer}{fraction}");
    let significant = digits.trim_start_matches('0').trim_end_matches('0');
    if significant.is_empty() {
        return Some(0);
    }
    // The value is `significant` times ten to the power `shift`.
    let trailing = digits.len() - digits.trim_end_matches('0').len();
    let exponent: i64 = exponent.parse().ok()?;
    let shift = exponent
        .checked_sub(i64::try_from(fraction.len()).ok()?)?
        .checked_add(i64::try_from(trailing).ok()?)?;
    let scale = 10i64.checked_pow(u32::try_from(shift).ok()?)?;
    let value = significant.parse::<i64>().ok()?.checked_mul(scale).filter(|value| *value < EXACT)?;
    Some(if negative { -value } else { value })
}

/// How a number's text compares with a bound; integers are compared digit by digit, whatever their size.
pub(super) fn compare(raw: &str, bound: &Number) -> Option<Ordering> {
    let bound_exact = bound.as_i64().map(i128::from).or(bound.as_u64().map(i128::from));
    if let (true, Ok(value), Some(bound)) = (is_integer(raw), raw.parse::<i128>(), bound_exact) {
        return Some(value.cmp(&bound));
    }
    raw.parse::<f64>().ok()?.partial_cmp(&bound.as_f64()?)
}

/// Whether the number is a multiple of the step, within what floats can tell.
pub(super) fn is_multiple(raw: &str, step: &Number) -> bool {
    if let (Ok(value), Some(step)) = (raw.parse::<i128>(), step.as_i64()) {
        return step == 0 || value % i128::from(step) == 0;
    }
    match (raw.parse::<f64>(), step.as_f64()) {
        (Ok(value), Some(step)) if step != 0.0 => {
            let times = value / step;
            (times - times.round()).abs() <= f64::EPSILON * times.abs().max(1.0)
        }
        _ => true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_is_exact_or_nothing() {
        for (raw, value) in
            [("5.0", 5), ("-5.00", -5), ("1e3", 1000), ("0.5e1", 5), ("1200e-2", 12), ("-0", 0)]
        {
            assert_eq!(whole(raw), Some(value), "{raw}");
        }
        assert_eq!(whole("9007199254740991.0"), Some(EXACT - 1));
        for raw in
            ["9007199254740992.0", "5.5", "5.00000000000000000001", "1e20", "1e999999999999999999999", "1e-1"]
        {
            assert_eq!(whole(raw), None, "{raw}");
        }
    }

    #[test]
    fn integers_beyond_a_float_are_compared_exactly() {
        let bound = Number::from(u64::MAX);
        assert_eq!(compare("18446744073709551615", &bound), Some(Ordering::Equal));
        assert_eq!(compare("18446744073709551616", &bound), Some(Ordering::Greater));
        assert_eq!(compare(&"9".repeat(400), &bound), Some(Ordering::Greater));
        assert_eq!(compare("-1", &Number::from(0)), Some(Ordering::Less));
    }
}
