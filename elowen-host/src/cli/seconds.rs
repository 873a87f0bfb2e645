//! A number of seconds on the command line.

use std::time::Duration;

/// As long as a command line may ask for: a year.
const LONGEST: Duration = Duration::from_secs(365 * 24 * 60 * 60);

/// More than none, and no more than a year.
pub(super) fn parse(text: &str) -> Result<Duration, String> {
    let seconds = match text.parse::<f64>() {
        Ok(seconds) if !seconds.is_nan() => seconds,
        _ => return Err("it must be a number of seconds, such as 1.5".to_owned()),
    };
    if seconds <= 0.0 {
        return Err("it must be more than 0 seconds".to_owned());
    }
    match Duration::try_from_secs_f64(seconds) {
        Ok(duration) if duration <= LONGEST => match duration.is_zero() {
            true => Err("it is less than a nanosecond".to_owned()),
            false => Ok(duration),
        },
        _ => Err(format!("it is too long: {} seconds, a year, is the most", LONGEST.as_secs())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_is_a_positive_number_of_seconds_up_to_a_year() {
        assert_eq!(parse("1.5"), Ok(Duration::from_millis(1500)));
        assert_eq!(parse("31536000"), Ok(LONGEST));
        let cases = [
            (["soon", "", "nan"], "it must be a number of seconds, such as 1.5"),
            (["0", "-1", "-inf"], "it must be more than 0 seconds"),
            (["inf", "1e30", "31536001"], "it is too long: 31536000 seconds, a year, is the most"),
            (["1e-12"; 3], "it is less than a nanosecond"),
        ];
        for (texts, expected) in cases {
            texts.iter().for_each(|text| assert_eq!(parse(text), Err(expected.to_owned()), "{text}"));
        }
    }
}
