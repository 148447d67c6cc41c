//! A method with settings, as people write it: `shingle:width=3,threshold=0.8`.

use retold::method::{
    Domain, METHODS, MethodInfo, PRESETS, Param, ParamValue, Params, Preset, Settings, find_method,
};
use retold::read::Extract;
use retold::{Error, JudgeConfig, Result};

/// A method with settings.
#[derive(Clone)]
pub struct Spec {
    /// The method and its settings, as they were written.
    pub label: String,
    /// The method.
    pub info: &'static MethodInfo,
    /// What the method sees of HTML pages.
    pub extract: Extract,
    /// Its parameters: the defaults and what is set.
    pub params: Params,
    /// What is set of them.
    settings: Settings,
}

/// The setting that is no parameter of a method: what it sees of HTML pages.
const EXTRACT: &str = "extract";

/// The values of a threshold that are tried unless the user chooses, in hundredths: cosines are close to 1.
const GRID: [u32; 18] = [
    30, 35, 40, 45, 50, 55, 60, 65, 70, 75, 80, 85, 90, 92, 94, 96, 98, 100,
];

/// Before the name of a preset.
const PRESET: &str = "@";

/// The most values of a whole-number threshold that are tried.
const STEPS: i64 = 24;

/// The values of a threshold to try, from 0 to 1.
pub type Grid = Vec<f64>;

/// The values that are tried unless the user chooses.
pub fn grid() -> Grid {
    GRID.iter().map(|&part| f64::from(part) / 100.0).collect()
}

impl Spec {
    /// All specs in `text`, which has commas between them; `all` is every method with its defaults, `presets` every preset. A part such as
    /// `width=3` belongs to the spec before it.
    pub fn parse_list(text: &str) -> Result<Vec<Spec>> {
        let mut written: Vec<String> = Vec::new();
        for part in text.split(',').map(str::trim) {
            let is_setting = part.contains('=') && !part.contains(':');
            match written.last_mut() {
                Some(last) if is_setting => *last += &format!(",{part}"),
                _ if part == "presets" => {
                    written.extend(
                        PRESETS
                            .iter()
                            .map(|preset| format!("{PRESET}{}", preset.name)),
                    );
                }
                _ if part == "all" => written.extend(METHODS.iter().map(|m| m.name.to_owned())),
                _ => written.push(part.to_owned()),
            }
        }
        written.iter().map(|spec| Spec::parse(spec)).collect()
    }

    /// One spec: `METHOD` or `METHOD:NAME=VALUE,NAME=VALUE`, and `@PRESET` for a method.
    pub fn parse(text: &str) -> Result<Spec> {
        let (name, rest) = text.split_once(':').unwrap_or((text, ""));
        let (name, mut settings) = match name.trim().strip_prefix(PRESET) {
            Some(name) => {
                let preset = Preset::find(name)?;
                (preset.method, preset.settings())
            }
            None => (name.trim(), Settings::new()),
        };
        let info = find_method(name)?;
        let mut extract = info.extract;
        for part in rest.split(',').filter(|part| !part.trim().is_empty()) {
            let (name, value) = part.split_once('=').ok_or_else(|| {
                Error::Usage(format!("{text}: NAME=VALUE expected, this is `{part}`"))
            })?;
            let (name, value) = (name.trim(), value.trim());
            match name {
                EXTRACT => extract = extract_called(value, text)?,
                _ => drop(settings.insert(name.to_owned(), value.into())),
            }
        }
        extract.check()?;
        Ok(Spec {
            label: text.to_owned(),
            info,
            extract,
            params: info.resolve(&settings)?,
            settings,
        })
    }

    /// The parameter whose values are tried: the method's main threshold, unless it is set.
    pub fn swept(&self) -> Option<&'static Param> {
        let main = self.info.main_threshold()?;
        (!self.settings.contains_key(main.name)).then_some(main)
    }

    /// The values to try: those of `grid` that the parameter can have, or its whole numbers, and its default; `None`
    /// alone if nothing is tried.
    pub fn values(&self, grid: &Grid) -> Vec<Option<f64>> {
        let Some(param) = self.swept() else {
            return vec![None];
        };
        let (own, mut values): (f64, Vec<f64>) = match param.domain {
            Domain::Int(own, low, high) => {
                let step = (high.saturating_sub(low) / STEPS + 1) as usize;
                let all = (low..=high).step_by(step);
                (own as f64, all.map(|value| value as f64).collect())
            }
            Domain::Float(own, low, high) => {
                let within = |value: &f64| (low..=high).contains(value);
                (own, grid.iter().copied().filter(within).collect())
            }
            Domain::Choice(..) => return vec![None],
        };
        if !values.contains(&own) {
            values.push(own);
        }
        values.sort_by(f64::total_cmp);
        values.into_iter().map(Some).collect()
    }

    /// The value of the swept parameter when it is left alone.
    pub fn own_value(&self) -> Option<f64> {
        match self.swept()?.domain.default() {
            ParamValue::Int(value) => Some(value as f64),
            ParamValue::Float(value) => Some(value),
            ParamValue::Choice(_) => None,
        }
    }

    /// The parameters with the swept one at `value`.
    pub fn params_at(&self, value: Option<f64>) -> Result<Params> {
        let mut settings = self.settings.clone();
        if let Some((param, value)) = self.swept().zip(value) {
            settings.insert(param.name.to_owned(), ParamValue::Float(value));
        }
        self.info.resolve(&settings)
    }

    /// The configuration of a run with it: everything else has its default.
    pub fn config(&self) -> JudgeConfig {
        JudgeConfig {
            method: self.info.name.to_owned(),
            params: self.settings.clone(),
            extract: Some(self.extract),
            ..JudgeConfig::default()
        }
    }
}

fn extract_called(value: &str, text: &str) -> Result<Extract> {
    Extract::ALL
        .into_iter()
        .find(|extract| extract.name() == value)
        .ok_or_else(|| {
            Error::Usage(format!(
                "{text}: {EXTRACT} must be none, main or precise, not `{value}`"
            ))
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_belong_to_the_spec_before_them() {
        let specs = Spec::parse_list("period:chars=8,threshold=0.8,agglomerate, period").unwrap();
        let labels: Vec<&str> = specs.iter().map(|spec| &*spec.label).collect();
        assert_eq!(
            labels,
            ["period:chars=8,threshold=0.8", "agglomerate", "period"]
        );
        assert_eq!(specs[0].params.get("chars"), Some(&ParamValue::Int(8)));
        assert_eq!(
            specs[0].params.get("threshold"),
            Some(&ParamValue::Float(0.8))
        );
        assert_eq!(specs[0].values(&grid()), [None]);
        assert!(specs[2].values(&grid()).len() >= GRID.len());
        let all = Spec::parse_list("all").unwrap();
        assert_eq!(all.len(), METHODS.len());
    }

    #[test]
    fn what_methods_see_is_a_setting() {
        let spec = Spec::parse("agglomerate:extract=none").unwrap();
        assert_eq!(spec.extract, Extract::None);
        assert_eq!(spec.params, Spec::parse("agglomerate").unwrap().params);
    }

    #[test]
    fn the_default_is_among_the_values_in_its_place() {
        let spec = Spec::parse("period").unwrap();
        let own = spec.own_value();
        let values = spec.values(&vec![0.3, 0.999, 0.31]);
        assert_eq!(values, [Some(0.3), Some(0.31), own, Some(0.999)]);
        let params = spec.params_at(Some(0.31)).unwrap();
        assert_eq!(params.get("threshold"), Some(&ParamValue::Float(0.31)));
        assert_eq!(spec.params_at(own).unwrap(), spec.params);
    }

    #[test]
    fn errors_name_the_part() {
        let message = |text| match Spec::parse_list(text) {
            Err(error) => error.to_string(),
            Ok(_) => unreachable!("{text} is accepted"),
        };
        assert!(message("perod").contains("no method is called `perod`"));
        assert!(message("period:chars").contains("this is `chars`"));
        assert!(message("period:chars=0").contains("period.chars = 0"));
        assert!(message("period:extract=all").contains("not `all`"));
    }
}
