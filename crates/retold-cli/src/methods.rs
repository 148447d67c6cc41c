//! `retold methods`: what there is to choose from.

use std::process::ExitCode;

use retold::method::{self, METHODS, MethodInfo};
use retold::{Result, method::DEFAULT};
use serde_json::json;

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
        Some(name) => vec![method::find(name)?],
        None => METHODS.iter().collect(),
    };
    if args.json {
        let methods: Vec<_> = chosen.iter().map(|method| as_json(method)).collect();
        println!("{:#}", json!(methods));
    } else {
        chosen.iter().for_each(|method| print(method));
    }
    Ok(ExitCode::SUCCESS)
}

fn print(method: &MethodInfo) {
    let default = if method.name == DEFAULT {
        " (default)"
    } else {
        ""
    };
    println!("{}{default}: {}", method.name, method.summary);
    println!("  source: {}", method.source);
    println!("  sees: --extract {}", method.extract.name());
    for param in method.all_params() {
        println!("  --param {}={}", param.name, param.domain.default());
        println!("      {}; {}", param.help, param.domain);
    }
    println!();
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
    json!({
        "name": method.name,
        "default": method.name == DEFAULT,
        "summary": method.summary,
        "source": method.source,
        "extract": method.extract.name(),
        "params": params.collect::<Vec<_>>(),
    })
}
