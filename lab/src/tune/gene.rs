//! A parameter as a point from 0 to 1.

use retold::method::{Domain, Param, ParamValue};

/// A parameter that is searched.
#[derive(Clone, Copy, Debug)]
pub(super) struct Gene {
    pub(super) param: &'static Param,
    low: f64,
    high: f64,
    /// Wide ranges are searched by orders of magnitude.
    wide: bool,
}

impl Gene {
    pub(super) fn new(param: &'static Param) -> Gene {
        let (low, high) = match param.domain {
            Domain::Int(_, low, high) => (low as f64, high as f64),
            Domain::Float(_, low, high) => (low, high),
            Domain::Choice(_, all) => (0.0, all.len() as f64 - 1.0),
        };
        let wide = (high + 1.0) / (low + 1.0) >= 15.0;
        Gene {
            param,
            low,
            high,
            wide,
        }
    }

    /// The value of the parameter at a point from 0 to 1, with no more digits than matter.
    pub(super) fn value(&self, at: f64) -> ParamValue {
        let value = if self.wide {
            (self.low + 1.0) * ((self.high + 1.0) / (self.low + 1.0)).powf(at) - 1.0
        } else {
            self.low + (self.high - self.low) * at
        };
        let whole = value.round().clamp(self.low, self.high);
        match self.param.domain {
            Domain::Int(..) => ParamValue::Int(whole as i64),
            Domain::Float(..) => {
                ParamValue::Float(((value * 1000.0).round() / 1000.0).clamp(self.low, self.high))
            }
            Domain::Choice(_, all) => ParamValue::Choice(all[whole as usize].to_owned()),
        }
    }

    /// The point of a value.
    pub(super) fn point(&self, value: &ParamValue) -> f64 {
        let value = match (value, self.param.domain) {
            (ParamValue::Int(value), _) => *value as f64,
            (ParamValue::Float(value), _) => *value,
            (ParamValue::Choice(name), Domain::Choice(_, all)) => {
                all.iter().position(|known| known == name).unwrap_or(0) as f64
            }
            (ParamValue::Choice(_), _) => self.low,
        };
        if self.high <= self.low {
            0.0
        } else if self.wide {
            ((value + 1.0) / (self.low + 1.0)).ln() / ((self.high + 1.0) / (self.low + 1.0)).ln()
        } else {
            (value - self.low) / (self.high - self.low)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_and_values_lead_to_each_other() {
        static PARAMS: [Param; 3] = [
            Param {
                name: "b",
                domain: Domain::Int(20, 1, 10_000),
                help: "",
            },
            Param {
                name: "t",
                domain: Domain::Float(0.7, 0.0, 1.0),
                help: "",
            },
            Param {
                name: "c",
                domain: Domain::Choice("y", &["x", "y", "z"]),
                help: "",
            },
        ];
        for param in &PARAMS {
            let gene = Gene::new(param);
            assert_eq!(
                gene.value(gene.point(&param.domain.default())),
                param.domain.default()
            );
        }
        let gene = Gene::new(&PARAMS[0]);
        assert_eq!(
            (gene.value(0.0), gene.value(1.0)),
            (ParamValue::Int(1), ParamValue::Int(10_000))
        );
        // Half the way is half the magnitudes: √(2 · 10001) − 1.
        assert_eq!(gene.value(0.5), ParamValue::Int(140));
    }
}
