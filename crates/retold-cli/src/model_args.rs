//! Options that make a model, shared by the commands that make one for a collection.

use std::path::{Path, PathBuf};

use clap::ValueEnum;
use retold::internal::FileRef;
use retold::method::{DEFAULT_METHOD, Preset, Settings, find_method};
use retold::{Canonical, Collections, DropRule, Error, JudgeConfig, Linkage, OwnLimit, Result};

use crate::filter_args::FilterArgs;
use crate::input::ReadArgs;
use crate::text_args::TextArgs;
use crate::values::{METHOD, PRESET, Setting};

/// How pages are read, compared and put into clusters.
#[derive(clap::Args)]
pub struct ModelArgs {
    /// How near-duplicates are found; `retold methods` lists them
    #[arg(long, value_name = "NAME", value_parser = METHOD, hide_possible_values = true, default_value = DEFAULT_METHOD, help_heading = "Method")]
    method: String,
    /// Named settings: copies or retellings, or a published method
    ///
    /// copies is stricter than the default, and retellings looser; `retold methods` lists all. --param-file and --param override
    #[arg(long, value_name = "NAME", value_parser = PRESET, hide_possible_values = true, conflicts_with = "method",
          help_heading = "Method")]
    preset: Option<String>,
    /// Set a parameter of the method, as in threshold=0.8; may be repeated
    #[arg(long, value_name = "NAME=VALUE", value_parser = Setting, hide_possible_values = true, help_heading = "Method")]
    param: Vec<(String, String)>,
    /// How much of its own a page may say and still go
    ///
    /// A passage of at least WORDS words and SHARE percent of the page keeps it. 0: a page goes only if it adds nothing; 50,20% drops more [default: the method's, 12,5%]
    #[arg(long, value_name = "WORDS[,SHARE%]", help_heading = "Method")]
    own: Option<OwnLimit>,
    /// Read parameters from FILE (TOML, one table per method); --param overrides
    #[arg(
        long,
        alias = "params",
        value_name = "FILE",
        help_heading = "Method",
        hide_short_help = true
    )]
    param_file: Option<PathBuf>,
    /// Take document frequencies and noise from the model.json of another run, of the same method, instead of learning them
    /// from the pages
    #[arg(
        long,
        value_name = "FILE",
        help_heading = "Method",
        hide_short_help = true
    )]
    knowledge: Option<PathBuf>,
    /// Whether pages with equal texts are always duplicates, in every method
    #[arg(long, value_enum, default_value_t = Switch::On, help_heading = "Method", hide_short_help = true)]
    exact: Switch,
    #[command(flatten)]
    text: TextArgs,

    #[command(flatten)]
    pairs: FilterArgs,

    /// How related pages become clusters [default: two-edge; with --preset patent per-page]
    #[arg(long, value_enum, help_heading = "Clusters", hide_short_help = true)]
    cluster: Option<Cluster>,
    /// Which of several related pages is preferred
    ///
    /// Rules in order: longest, earliest, first (or id), field:NAME:desc (or asc), https, response-before-derived, url-length, rank
    #[arg(
        long,
        value_name = "LIST",
        default_value_t = Canonical::default(),
        help_heading = "Clusters"
    )]
    canonical: Canonical,
    /// Prefer pages of the sites or sources that come first in FILE: one per line, or with a rank as a number after a tab
    #[arg(
        long,
        value_name = "FILE",
        help_heading = "Clusters",
        hide_short_help = true
    )]
    rank: Option<PathBuf>,
    /// Which pages that repeat a kept page are dropped
    #[arg(long, value_enum, default_value_t = Dropped::Both, help_heading = "Clusters", hide_short_help = true)]
    drop: Dropped,
    /// What becomes of a collection: a page that contains several pages which are unrelated to each other, such as a month's archive
    #[arg(long, value_enum, value_name = "WHICH", default_value_t = Collected::Parts, help_heading = "Clusters", hide_short_help = true)]
    collections: Collected,

    #[command(flatten)]
    read: ReadArgs,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Switch {
    On,
    Off,
}

#[derive(Clone, Copy, ValueEnum)]
enum Cluster {
    /// Repeatedly the largest set of pages within two relations of one page
    TwoEdge,
    /// Pages that have the same largest set of pages within two relations of one page; the sets, which overlap, go to classes.jsonl
    PerPage,
    /// Connected components
    Components,
}

#[derive(Clone, Copy, ValueEnum)]
enum Dropped {
    /// Duplicates, and pages contained in a kept page
    Both,
    /// Duplicates only
    Duplicate,
    /// Both, and pages that overlap a kept page, with all that they say of their own
    Overlaps,
    /// Both, and the pages that others are dropped for: no page stays that has a copy
    All,
}

#[derive(Clone, Copy, ValueEnum)]
enum Collected {
    /// Its parts stay, and it goes if they leave it nothing of its own
    Parts,
    /// It stays, and its parts go for it
    Whole,
}

impl Cluster {
    /// The library's value.
    fn linkage(self) -> Linkage {
        match self {
            Cluster::TwoEdge => Linkage::TwoEdge,
            Cluster::PerPage => Linkage::PerPage,
            Cluster::Components => Linkage::Components,
        }
    }
}

impl ModelArgs {
    /// The configuration that these options make.
    pub fn config(&self) -> Result<JudgeConfig> {
        let (method, params) = chosen_method(
            &self.method,
            self.preset.as_deref(),
            self.own,
            self.param_file.as_deref(),
            &self.param,
        )?;
        let mut config = JudgeConfig {
            read: self.read.options(),
            knowledge: self.knowledge.clone().map(FileRef::at),
            method,
            params,
            exact: self.exact == Switch::On,
            cluster: match (self.cluster, &self.preset) {
                (Some(cluster), _) => cluster.linkage(),
                (None, Some(preset)) => Preset::find(preset)?.cluster,
                (None, None) => Linkage::default(),
            },
            filters: self.pairs.filters(),
            canonical: self.canonical.clone(),
            rank: self.rank.clone().map(FileRef::at),
            drop: match self.drop {
                Dropped::Both => DropRule::Both,
                Dropped::Duplicate => DropRule::Duplicate,
                Dropped::Overlaps => DropRule::Overlaps,
                Dropped::All => DropRule::All,
            },
            collections: match self.collections {
                Collected::Parts => Collections::Parts,
                Collected::Whole => Collections::Whole,
            },
            ..JudgeConfig::default()
        };
        self.text.set(&mut config)?;
        Ok(config)
    }
}

/// The method that `--method` or `--preset` names, with its parameters: those of the preset, of `--param-file`, of `--own`, then of
/// `--param`.
pub fn chosen_method(
    method: &str,
    preset: Option<&str>,
    own: Option<OwnLimit>,
    param_file: Option<&Path>,
    param: &[(String, String)],
) -> Result<(String, Settings)> {
    let (method, mut params) = match preset {
        Some(name) => {
            let preset = Preset::find(name)?;
            (preset.method, preset.settings())
        }
        None => (method, Settings::new()),
    };
    params.extend(settings_of_file(method, param_file)?);
    if let Some(own) = own {
        own.set(method, &mut params)?;
    }
    let given = param.iter();
    params.extend(given.map(|(name, value)| (name.clone(), value.as_str().into())));
    Ok((method.to_owned(), params))
}

/// The parameters of `--param-file FILE` for the method.
fn settings_of_file(method: &str, param_file: Option<&Path>) -> Result<Settings> {
    let mut settings = Settings::new();
    if let Some(path) = param_file {
        let at = |e: &dyn std::fmt::Display| {
            Error::usage(format!("--param-file {}: {e}", path.display()))
        };
        let text = std::fs::read_to_string(path).map_err(|e| at(&e))?;
        let table: toml::Table = text.parse().map_err(|e| at(&e))?;
        for (name, parameters) in &table {
            // A table for an unknown method is most likely a misspelt name.
            find_method(name).map_err(|e| at(&e))?;
            let toml::Value::Table(parameters) = parameters else {
                return Err(at(&format!(
                    "`{name}` stands outside a table such as [{method}]"
                )));
            };
            for (parameter, value) in parameters.iter().filter(|_| *name == method) {
                let value = value
                    .as_str()
                    .map_or_else(|| value.to_string(), str::to_owned);
                settings.insert(parameter.clone(), value.as_str().into());
            }
        }
    }
    Ok(settings)
}
