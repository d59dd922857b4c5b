#!/usr/bin/env bash
# Says in Cargo.toml which repository the releases are in, where it does not say so yet: `cargo binstall` looks there.
set -euo pipefail
repository="$GITHUB_SERVER_URL/$GITHUB_REPOSITORY"
written=$(sed -n 's/^repository = "\(.*\)"$/\1/p' Cargo.toml)
if [ -z "$written" ]; then
  sed "s|^\[package\]\$|&\nrepository = \"$repository\"|" Cargo.toml > Cargo.toml.new
  mv Cargo.toml.new Cargo.toml
elif [ "$written" != "$repository" ]; then
  echo "::error file=Cargo.toml::repository is $written, and this release is made in $repository"
  exit 1
fi
grep -qxF "repository = \"$repository\"" Cargo.toml
