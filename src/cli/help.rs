//! Tests of the help texts of all commands.

use clap::CommandFactory as _;

use super::Cli;

fn commands() -> Vec<clap::Command> {
    let mut program = Cli::command().term_width(80);
    program.build();
    let mut all: Vec<clap::Command> = program.get_subcommands().cloned().collect();
    all.push(program);
    all
}

#[test]
fn no_line_of_help_is_longer_than_a_terminal() {
    for mut command in commands() {
        for help in [command.render_help(), command.render_long_help()] {
            for line in help.to_string().lines() {
                assert!(line.chars().count() <= 80, "{}: {line}", command.get_name());
            }
        }
    }
}

#[test]
fn every_command_and_every_flag_says_what_it_is() {
    for command in commands() {
        assert!(command.get_about().is_some(), "{}", command.get_name());
        for argument in command.get_arguments() {
            let name = format!("{} {}", command.get_name(), argument.get_id());
            assert!(argument.get_help().is_some(), "{name}");
        }
    }
}
