//! The rules of ARCHITECTURE.md about the sources, checked on the sources.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use syn::visit::Visit;

/// The crates whose sources are looked at.
const CRATES: &[&str] = &[
    "crates/retold",
    "crates/retold-report",
    "crates/retold-index",
    "crates/retold-server",
    "crates/retold-cli",
    "lab",
    "python",
];

/// The path of a module: `["dedup", "join"]`.
type Module = Vec<String>;

/// All Rust files of a crate but those of tests.
fn sources(name: &str) -> Vec<(Module, PathBuf)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let root = root.join(name).join("src");
    let (mut folders, mut files) = (vec![root.clone()], Vec::new());
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let name = path.file_name().unwrap().to_str().unwrap();
            let is_test = [
                "tests",
                "tests.rs",
                "testing.rs",
                "contract.rs",
                "obvious.rs",
            ];
            if is_test.contains(&name) || name.ends_with("_tests.rs") {
                continue;
            }
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|ending| ending == "rs") {
                files.push((module(&root, &path), path));
            }
        }
    }
    files.sort();
    files
}

fn module(root: &Path, path: &Path) -> Module {
    let below = path.strip_prefix(root).unwrap().with_extension("");
    let mut parts: Module = below
        .iter()
        .map(|part| part.to_str().unwrap().to_owned())
        .collect();
    if parts
        .last()
        .is_some_and(|last| ["lib", "main", "mod"].contains(&last.as_str()))
    {
        parts.pop();
    }
    parts
}

/// What one file defines, imports and names.
#[derive(Default)]
struct Source {
    defines: BTreeSet<String>,
    /// Of each import the path, the name that it gets here (`*` for all), and whether it is handed on.
    imports: Vec<(Vec<String>, String, bool)>,
    /// Paths and single names in code.
    paths: Vec<Vec<String>>,
}

fn is_test(attributes: &[syn::Attribute]) -> bool {
    let is = |attribute: &syn::Attribute| {
        attribute.path().is_ident("cfg")
            && attribute
                .parse_args::<syn::Ident>()
                .is_ok_and(|what| what == "test")
    };
    attributes.iter().any(is)
}

impl Source {
    fn of(path: &Path) -> Source {
        let file = syn::parse_file(&std::fs::read_to_string(path).unwrap()).unwrap();
        let mut source = Source::default();
        source.visit_file(&file);
        source
    }

    fn import(&mut self, before: &[String], tree: &syn::UseTree, is_public: bool) {
        let with = |name: &syn::Ident| [before, &[name.to_string()]].concat();
        match tree {
            syn::UseTree::Path(path) => self.import(&with(&path.ident), &path.tree, is_public),
            syn::UseTree::Group(group) => {
                let trees = group.items.iter();
                trees.for_each(|tree| self.import(before, tree, is_public));
            }
            syn::UseTree::Name(name) if name.ident == "self" => {
                let last = before.last().unwrap().clone();
                self.imports.push((before.to_vec(), last, is_public));
            }
            syn::UseTree::Name(name) => {
                self.imports
                    .push((with(&name.ident), name.ident.to_string(), is_public));
            }
            syn::UseTree::Rename(name) => {
                self.imports
                    .push((with(&name.ident), name.rename.to_string(), is_public));
            }
            syn::UseTree::Glob(_) => {
                self.imports
                    .push((before.to_vec(), "*".to_owned(), is_public));
            }
        }
    }
}

impl<'ast> Visit<'ast> for Source {
    fn visit_item(&mut self, item: &'ast syn::Item) {
        let (attributes, name) = match item {
            syn::Item::Struct(item) => (&item.attrs, Some(&item.ident)),
            syn::Item::Enum(item) => (&item.attrs, Some(&item.ident)),
            syn::Item::Union(item) => (&item.attrs, Some(&item.ident)),
            syn::Item::Trait(item) => (&item.attrs, Some(&item.ident)),
            syn::Item::Type(item) => (&item.attrs, Some(&item.ident)),
            syn::Item::Const(item) => (&item.attrs, Some(&item.ident)),
            syn::Item::Static(item) => (&item.attrs, Some(&item.ident)),
            syn::Item::Fn(item) => (&item.attrs, Some(&item.sig.ident)),
            syn::Item::Macro(item) => (&item.attrs, item.ident.as_ref()),
            syn::Item::Mod(item) => (&item.attrs, None),
            syn::Item::Impl(item) => (&item.attrs, None),
            syn::Item::Use(item) => {
                if !is_test(&item.attrs) {
                    let is_public = !matches!(item.vis, syn::Visibility::Inherited);
                    self.import(&[], &item.tree, is_public);
                }
                return;
            }
            _ => return syn::visit::visit_item(self, item),
        };
        if !is_test(attributes) {
            self.defines.extend(name.map(ToString::to_string));
            syn::visit::visit_item(self, item);
        }
    }

    fn visit_path(&mut self, path: &'ast syn::Path) {
        let names = path.segments.iter();
        self.paths
            .push(names.map(|segment| segment.ident.to_string()).collect());
        syn::visit::visit_path(self, path);
    }

    /// In macros a path is what stands between `::`.
    fn visit_macro(&mut self, made: &'ast syn::Macro) {
        let text = made.tokens.to_string().replace(" :: ", "::");
        let words = text.split(|c: char| !(c.is_alphanumeric() || c == '_' || c == ':'));
        let paths = words.map(|word| word.split("::").map(str::to_owned).collect());
        self.paths.extend(paths);
        syn::visit::visit_macro(self, made);
    }
}

/// The sources of a crate by module.
struct Crate(BTreeMap<Module, Source>);

impl Crate {
    fn read(name: &str) -> Crate {
        let files = sources(name);
        let files = files
            .into_iter()
            .map(|(module, path)| (module, Source::of(&path)));
        Crate(files.collect())
    }

    /// A path as it is seen from the root of the crate; `None` if it leads out of it.
    fn absolute(&self, module: &Module, path: &[String]) -> Option<Vec<String>> {
        let (first, rest) = path.split_first()?;
        match first.as_str() {
            "crate" => Some(rest.to_vec()),
            "self" => Some([module, rest].concat()),
            "super" => {
                let parent = module[..module.len().checked_sub(1)?].to_vec();
                match rest.first().is_some_and(|next| next == "super") {
                    true => self.absolute(&parent, rest),
                    false => Some([&parent, rest].concat()),
                }
            }
            _ => {
                let child = [module, std::slice::from_ref(first)].concat();
                self.0.contains_key(&child).then(|| [module, path].concat())
            }
        }
    }

    /// The module that defines what a path from the root names, through all that hand it on.
    fn definer(&self, path: &[String], depth: usize) -> Option<Module> {
        let ends = (0..=path.len()).rev();
        let end = ends
            .into_iter()
            .find(|&end| self.0.contains_key(&path[..end]))?;
        let (module, rest) = (path[..end].to_vec(), &path[end..]);
        let name = rest.first()?;
        let source = &self.0[&module];
        if source.defines.contains(name) {
            return Some(module);
        }
        let handed_on = source.imports.iter().filter(|_| depth < 8);
        let mut handed_on = handed_on.filter(|(_, here, _)| here == name || here == "*");
        handed_on.find_map(|(import, here, _)| {
            let target = self.absolute(&module, import)?;
            let rest = if here == "*" { rest } else { &rest[1..] };
            self.definer(&[&target, rest].concat(), depth + 1)
        })
    }

    /// The modules whose items each module uses. What it only hands on it does not use.
    fn uses(&self) -> BTreeMap<Module, BTreeSet<Module>> {
        let uses = self.0.iter().map(|(module, source)| {
            let mut used = BTreeSet::new();
            let names: BTreeSet<&str> = source.paths.iter().map(|path| path[0].as_str()).collect();
            let mut modules = BTreeMap::new();
            for (path, here, is_public) in &source.imports {
                let Some(path) = self.absolute(module, path) else {
                    continue;
                };
                match self.definer(&path, 0) {
                    Some(other) if !is_public || names.contains(here.as_str()) => {
                        used.insert(other);
                    }
                    Some(_) => {}
                    None => {
                        modules.insert(here.as_str(), path);
                    }
                }
            }
            for path in source.paths.iter().filter(|path| path.len() > 1) {
                let path = match modules.get(path[0].as_str()) {
                    Some(module) => Some([module, &path[1..]].concat()),
                    None => self.absolute(module, path),
                };
                used.extend(path.and_then(|path| self.definer(&path, 0)));
            }
            used.remove(module);
            (module.clone(), used)
        });
        uses.collect()
    }
}

/// What is left of a graph once all that is in no circle, nor between two, is taken out.
fn circles(mut uses: BTreeMap<Module, BTreeSet<Module>>) -> BTreeMap<Module, BTreeSet<Module>> {
    loop {
        let used: BTreeSet<Module> = uses.values().flatten().cloned().collect();
        let before = uses.len();
        uses.retain(|module, others| !others.is_empty() && used.contains(module));
        let left: BTreeSet<Module> = uses.keys().cloned().collect();
        for others in uses.values_mut() {
            others.retain(|other| left.contains(other));
        }
        if uses.len() == before {
            return uses;
        }
    }
}

#[test]
fn files_do_not_use_each_other_in_circles() {
    for name in CRATES {
        let uses = Crate::read(name).uses();
        let all: usize = uses.values().map(BTreeSet::len).sum();
        assert!(
            all > 3,
            "{name}: no file uses another; is this test broken?"
        );
        let circles = circles(uses);
        let shown = circles.iter().map(|(module, others)| {
            let others: Vec<String> = others.iter().map(|other| other.join("::")).collect();
            format!("{} uses {}", module.join("::"), others.join(", "))
        });
        let shown: Vec<String> = shown.collect();
        assert!(
            shown.is_empty(),
            "{name}: in circles:\n{}",
            shown.join("\n")
        );
    }
}

#[test]
fn circles_are_found() {
    let module = |name: &str| vec![name.to_owned()];
    let uses = [("a", "b"), ("b", "c"), ("c", "b"), ("c", "d"), ("d", "")];
    let uses = uses.map(|(from, to)| (module(from), module(to)));
    let mut graph: BTreeMap<Module, BTreeSet<Module>> = BTreeMap::new();
    for (from, to) in uses {
        let others = graph.entry(from).or_default();
        others.extend(Some(to).filter(|to| !to[0].is_empty()));
    }
    let left: Vec<Module> = circles(graph).into_keys().collect();
    assert_eq!(left, [module("b"), module("c")]);
}

/// What a newcomer sees first: few names and six modules. What only sister crates use is in `internal`, which docs do not show.
#[test]
fn the_front_door_is_small() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/lib.rs");
    let file = syn::parse_file(&std::fs::read_to_string(path).unwrap()).unwrap();
    let (mut names, mut modules) = (Source::default(), Vec::new());
    for item in &file.items {
        match item {
            syn::Item::Use(item) if matches!(item.vis, syn::Visibility::Public(_)) => {
                names.import(&[], &item.tree, true);
            }
            syn::Item::Mod(item) if matches!(item.vis, syn::Visibility::Public(_)) => {
                modules.push(item.ident.to_string());
            }
            _ => {}
        }
    }
    assert_eq!(
        modules,
        [
            "blocks", "eval", "explain", "method", "passages", "read", "internal"
        ]
    );
    let count = names.imports.len();
    assert!((20..=45).contains(&count), "{count} names");
}

#[test]
fn the_libraries_print_nothing_and_read_no_environment() {
    let libraries = CRATES.iter().take(4);
    for (_, path) in libraries.flat_map(|name| sources(name)) {
        let text = std::fs::read_to_string(&path).unwrap();
        let end = text.find("#[cfg(test)]\nmod tests {").unwrap_or(text.len());
        let lines = text[..end]
            .lines()
            .filter(|line| !line.trim_start().starts_with("//"));
        let code: String = lines.collect();
        for word in [
            "println!",
            "eprintln!",
            "print!(",
            "eprint!(",
            "env::var",
            "process::exit",
            "dbg!",
            "cfg!(test)",
        ] {
            assert!(!code.contains(word), "{}: {word}", path.display());
        }
    }
}
