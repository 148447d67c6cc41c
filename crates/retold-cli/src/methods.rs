//! `retold methods`: the list of methods and their parameters.

use std::io::{self, Write};
use std::process::ExitCode;

use retold::method::{DEFAULT_METHOD, METHODS, MethodInfo, Preset, find_method};
use retold::{Linkage, Result};
use serde_json::json;

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
    let default = if method.name == DEFAULT_METHOD {
        " (default)"
    } else {
        ""
    };
    writeln!(to, "{}{default}: {}", method.name, method.summary)?;
    writeln!(to, "  source: {}", method.source)?;
    writeln!(to, "  sees: --extract {}", method.extract.name())?;
    for param in method.all_params() {
        writeln!(to, "  --param {}={}", param.name, param.domain.default())?;
        writeln!(to, "      {}; {}", param.help, param.domain)?;
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
            "  --preset {}: {}{cluster}",
            preset.name,
            params.join(" ")
        )?;
        writeln!(to, "      as in {}; {}", preset.source, preset.remark)?;
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
