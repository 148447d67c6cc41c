//! `retold methods`: the list of methods and their parameters.

use std::io::{self, Write};
use std::process::ExitCode;

use retold::method::{DEFAULT_METHOD, METHODS, MethodInfo, Preset, find_method};
use retold::{Linkage, Result};
use serde_json::json;

use crate::lang::{is_chinese, message};
use crate::say;

/// Lists the methods with their parameters, defaults, ranges and sources
#[derive(clap::Args)]
pub struct Args {
    /// Only this method
    name: Option<String>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// Prints the table of methods.
pub fn run(args: &Args) -> Result<ExitCode> {
    let chosen: Vec<&MethodInfo> = match &args.name {
        Some(name) => vec![find_method(name)?],
        None => METHODS.iter().collect(),
    };
    say::out(|to| {
        if args.json {
            let methods: Vec<_> = chosen.iter().map(|method| as_json(method)).collect();
            return writeln!(to, "{:#}", json!(methods));
        }
        chosen.iter().try_for_each(|method| print(method, to))
    })?;
    Ok(ExitCode::SUCCESS)
}

fn print(method: &MethodInfo, to: &mut dyn Write) -> io::Result<()> {
    let default = match method.name == DEFAULT_METHOD {
        true => message(" (default)"),
        false => "".into(),
    };
    let (colon, semicolon) = match is_chinese() {
        true => ("：", "；"),
        false => (": ", "; "),
    };
    let summary = message(method.summary);
    writeln!(to, "{}{default}{colon}{summary}", method.name)?;
    let source = format!("  source: {}", method.source);
    writeln!(to, "{}", message(&source))?;
    let sees = format!("  sees: --extract {}", method.extract.name());
    writeln!(to, "{}", message(&sees))?;
    for param in method.all_params() {
        let range = param.domain.to_string();
        writeln!(to, "  --param {}={}", param.name, param.domain.default())?;
        let (help, range) = (message(param.help), message(&range));
        writeln!(to, "      {help}{semicolon}{range}")?;
    }
    for preset in Preset::of(method) {
        let params: Vec<_> = preset
            .params
            .iter()
            .map(|(name, value)| format!("{name}={value}"))
            .collect();
        let cluster = match preset.cluster {
            Linkage::PerPage => " --cluster per-page",
            _ => "",
        };
        writeln!(
            to,
            "  --preset {}{colon}{}{cluster}",
            preset.name,
            params.join(" ")
        )?;
        let source = format!("as in {}", preset.source);
        let (source, remark) = (message(&source), message(preset.remark));
        writeln!(to, "      {source}{semicolon}{remark}")?;
    }
    writeln!(to)
}

fn as_json(method: &MethodInfo) -> serde_json::Value {
    let params = method.all_params().map(|param| {
        json!({
            "name": param.name,
            "default": param.domain.default(),
            "range": param.domain.to_string(),
            "help": param.help,
        })
    });
    let presets = Preset::of(method).map(|preset| {
        json!({
            "name": preset.name,
            "params": preset.settings(),
            "cluster": preset.cluster,
            "source": preset.source,
            "remark": preset.remark,
        })
    });
    json!({
        "name": method.name,
        "default": method.name == DEFAULT_METHOD,
        "summary": method.summary,
        "source": method.source,
        "extract": method.extract.name(),
        "params": params.collect::<Vec<_>>(),
        "presets": presets.collect::<Vec<_>>(),
    })
}

#[cfg(test)]
mod tests {
    use retold::method::PRESETS;

    use super::*;
    use crate::lang::in_chinese;

    #[test]
    fn all_methods_are_described_in_chinese() {
        let mut texts = Vec::new();
        for method in METHODS {
            texts.push(method.summary.to_owned());
            for param in method.all_params() {
                texts.extend([param.help.to_owned(), param.domain.to_string()]);
            }
        }
        texts.extend(PRESETS.iter().map(|preset| preset.remark.to_owned()));
        texts.retain(|text| in_chinese(text) == *text);
        assert!(
            texts.is_empty(),
            "not in zh-messages.tsv:\n{}",
            texts.join("\n")
        );
    }
}
