# Shared by the scripts beside it and by .ci/run. To be sourced, not run.

root=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.." && pwd)

# Scripts build with all traits: with one set of traits, no script compiles again what another one has compiled.
# shellcheck disable=SC2034  # used by the scripts that source this file
traits=(--enable-all-traits)

# In CI debuggers read nothing, and without what they read Swift takes an eighth less time to compile, C++ a fifth.
without_debug_information=()
if [[ ${CI:-} == true ]]; then without_debug_information=(-debug-info-format none); fi

# deterministic COMMAND ARGUMENT…: one of swift's commands that builds. SwiftPM gives traits and definitions to the compiler
# in the order of a set, which a random seed would change from run to run, so that everything is compiled again.
deterministic() { SWIFT_DETERMINISTIC_HASHING=1 "$@"; }

# build_package ARGUMENT…: builds with all traits.
build_package() {
    deterministic swift build "${traits[@]}" ${without_debug_information[@]+"${without_debug_information[@]}"} "$@"
}

say() { printf '%s\n' "$*"; }
fail() { printf '%s: %s\n' "${0##*/}" "$*" >&2; exit 1; }

# require_swift MAJOR.MINOR: the compiler must be there and not older.
require_swift() {
    local wanted=$1 found
    command -v swift >/dev/null ||
        fail "there is no Swift toolchain on the PATH. Signet needs Swift $wanted or later: https://www.swift.org/install/linux/"
    found=$(swift --version 2>/dev/null | sed -nE 's/.*Swift version ([0-9]+\.[0-9]+(\.[0-9]+)?).*/\1/p' | head -n 1)
    [[ -n $found ]] || fail "'swift --version' does not say which version it is. Is the toolchain complete?"
    [[ $(printf '%s\n' "$wanted" "$found" | sort -V | head -n 1) == "$wanted" ]] ||
        fail "this is Swift $found; Signet needs $wanted or later: https://www.swift.org/install/linux/"
    say "Swift $found"
}

# require_modules: sets `modules` to those of the last build, which must be there. To be called in the package's folder.
require_modules() {
    # shellcheck disable=SC2034  # used by the scripts that source this file
    modules=.build/debug/Modules
    [[ -e $modules/SignetServer.swiftmodule ]] || fail "build the package first: swift build ${traits[*]}"
}

# The modules that programs import: without those of our programs.
library_modules() {
    local folder module
    for folder in "$root"/Sources/Signet*/; do
        module=$(basename "$folder")
        case $module in SignetCommand | SignetDemo | SignetGenerator* | SignetWSDL) ;; *) printf '%s\n' "$module" ;; esac
    done
}

# read_flags: sets `flags` to what the tools beside the compiler need to read the modules of the last build. To be called in the
# package's folder.
read_flags() {
    local map
    flags=(-I .build/debug/Modules)
    flags+=(-target "$(swiftc -print-target-info | sed -nE 's/.*"triple": "([^"]+)".*/\1/p' | head -n 1)")
    while IFS= read -r map; do
        flags+=(-Xcc "-fmodule-map-file=$map" -Xcc -I -Xcc "$(dirname "$map")")
    done < <(find "$PWD"/.build/checkouts/*/Sources -name module.modulemap; find "$PWD"/.build/debug/*.build -maxdepth 1 -name module.modulemap)
}

# extract_symbols FOLDER MODULE: writes the symbol graphs of a module that was built (see require_modules).
extract_symbols() {
    local flags log
    read_flags
    # The tool lies beside the compiler.
    log=$("$(dirname "$(command -v swiftc)")/swift-symbolgraph-extract" "${flags[@]}" -minimum-access-level public \
        -skip-synthesized-members -output-dir "$1" -module-name "$2" 2>&1) || {
        say "$log" >&2
        fail "$2 cannot be read."
    }
}

is_installed() { [[ $(dpkg-query -W -f='${db:Status-Status}' "$1" 2>/dev/null) == installed ]]; }

# require_packages YES "package[/another that will do] why"…
# Lists the Debian packages that are absent and installs them, after asking unless YES is 1.
require_packages() {
    local yes=$1 line name choice names present missing=()
    shift
    if ! command -v dpkg-query >/dev/null; then
        say "This is neither Debian nor Ubuntu; install the equivalents of these packages:"
        printf '    %s\n' "$@"
        return
    fi
    for line in "$@"; do
        IFS=/ read -r -a names <<<"${line%% *}"
        present=0
        for choice in "${names[@]}"; do if is_installed "$choice"; then present=1; fi; done
        if ((present)); then continue; fi
        if ((${#missing[@]} == 0)); then say "These Debian packages are not installed:"; fi
        missing+=("${names[0]}")
        printf '    %-24s %s\n' "${names[0]}" "${line#* }"
    done
    if ((${#missing[@]} == 0)); then return; fi

    local as_root=()
    if ((EUID != 0)); then as_root=(sudo); fi
    if ((!yes)); then
        if [[ ! -t 0 ]]; then
            say "Install them, or say --yes to have it done: ${as_root[*]:+sudo }apt-get install ${missing[*]}" >&2
            exit 2
        fi
        local answer
        read -r -p "Install them now with '${as_root[*]:+sudo }apt-get'? [y/N] " answer
        if [[ $answer != [yY]* ]]; then
            say "Nothing was installed. To do it yourself: ${as_root[*]:+sudo }apt-get install ${missing[*]}" >&2
            exit 2
        fi
    fi
    if ((EUID != 0)) && ! command -v sudo >/dev/null; then
        fail "sudo is not there; as root, run: apt-get install ${missing[*]}"
    fi
    install_packages "${missing[@]}" || fail "apt-get could not install ${missing[*]}."
}

# Installs packages while a policy keeps their daemons from being started (the programs are wanted, the services are
# not).
install_packages() (
    set -euo pipefail
    as_root=()
    if ((EUID != 0)); then as_root=(sudo); fi
    policy=/usr/sbin/policy-rc.d
    kept=$policy.kept-by-signet
    restore() {
        "${as_root[@]}" rm -f "$policy"
        if [[ -e $kept || -L $kept ]]; then "${as_root[@]}" mv -T "$kept" "$policy"; fi
    }
    # The file that an interrupted run has kept is the original; this script's policy must not overwrite it.
    if [[ ! -e $kept && ! -L $kept ]] && [[ -e $policy || -L $policy ]]; then "${as_root[@]}" mv -T "$policy" "$kept"; fi
    trap restore EXIT
    printf '#!/bin/sh\nexit 101\n' | "${as_root[@]}" tee "$policy" >/dev/null
    "${as_root[@]}" chmod 755 "$policy"
    "${as_root[@]}" apt-get update -q
    "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends "$@"
)

# What every build needs.
build_packages=(
    "binutils the linker's companions"
    "ca-certificates to fetch the Swift packages that Signet uses"
    "g++ the C and C++ headers and libraries that Swift links with"
    "git to fetch the Swift packages that Signet uses"
    "libcurl4-openssl-dev/libcurl4/libcurl4t64 used by Swift's own package manager"
    "libncurses-dev/libncurses6 used by Swift's debugger and compiler"
    "libsqlite3-dev the database that the demo keeps its entries in"
    "libxml2-dev used by Swift's own package manager"
    "pkg-config to find the libraries above"
    "tzdata time zones, for Swift's Foundation"
    "zlib1g-dev compression, used by SwiftNIO"
)
