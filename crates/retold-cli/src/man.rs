//! `retold man`: manual pages.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Command;
use retold::{Error, Result};

/// Writes the manual pages
///
/// There is one page for retold and one for each of its commands: retold.1, retold-dedup.1 and so on. Files with these names are replaced.
#[derive(clap::Args)]
#[command(after_help = "Example:
  retold man ~/.local/share/man/man1 && man retold-dedup")]
pub struct Args {
    /// The folder to write to; it is made if it does not exist
    #[arg(value_name = "DIR")]
    folder: PathBuf,
}

/// Writes the pages of a command and of those below it.
pub fn run(args: &Args, command: Command) -> Result<ExitCode> {
    let folder = &args.folder;
    std::fs::create_dir_all(folder).map_err(Error::io("cannot make the folder", folder))?;
    let mut command = command.disable_help_subcommand(true);
    command.build();
    write(&command, args)?;
    Ok(ExitCode::SUCCESS)
}

/// Writes the page of a command, and those of the commands below it.
fn write(command: &Command, args: &Args) -> Result<()> {
    let name = command
        .get_display_name()
        .unwrap_or_else(|| command.get_name());
    let path = args.folder.join(format!("{name}.1"));
    let mut page = Vec::new();
    let rendered = clap_mangen::Man::new(command.clone().name(name.to_owned())).render(&mut page);
    rendered
        .and_then(|()| std::fs::write(&path, page))
        .map_err(Error::io("cannot write", &path))?;
    command
        .get_subcommands()
        .try_for_each(|below| write(below, args))
}
