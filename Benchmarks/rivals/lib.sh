# shellcheck shell=bash
# Shared by codec and call: builds the rivals that both of them use. To be sourced behind scripts/lib.sh; `here` is the folder
# of the benchmarks.

# shellcheck disable=SC2034  # used by the scripts that source this file
gsoap_packages=(
    "gsoap the compilers wsdl2h and soapcpp2" "libgsoap-dev what their code needs, if the source cannot be had the library, too"
)
# shellcheck disable=SC2034  # used by the scripts that source this file
zeep_packages=("python3 zeep is written for it" "python3-venv keeps zeep in a folder of its own")

best=(-O3 -march=native -std=c++17 -Wall -Wextra)
# shellcheck disable=SC2154  # set by the scripts that source this file
zeep=$here/.build/zeep/bin/python

# Debian's archive has the source of the version that is installed. Nothing of the system is changed: lists and cache are our own.
gsoap_source() {
    local version=$1 folder=$here/.build/gsoap-$1 file
    [[ ! -e $folder/stdsoap2.cpp ]] || return 0
    mkdir -p "$folder/lists/partial" "$folder/cache/archives/partial" "$folder/sources"
    cd "$folder" || return 1
    for file in /etc/apt/sources.list /etc/apt/sources.list.d/*; do
        case $file in
        *.list) if [[ -e $file ]]; then sed -nE 's/^deb(-src)? /deb-src /p' "$file" >>sources/all.list; fi ;;
        *.sources) if [[ -e $file ]]; then sed 's/^Types:.*/Types: deb-src/' "$file" >"sources/${file##*/}"; fi ;;
        esac
    done
    local own=(
        -o "Dir::Etc::sourcelist=/dev/null" -o "Dir::Etc::sourceparts=$folder/sources" -o "Dir::State::lists=$folder/lists"
        -o "Dir::Cache=$folder/cache" -o APT::Sandbox::User=root
    )
    # A source of the system that has no source packages makes this fail; what matters is whether gSOAP's can be had.
    apt-get "${own[@]}" update || true
    apt-get "${own[@]}" source --download-only "gsoap=$version" || return 1
    tar -xf gsoap_*.orig.tar.* --strip-components=2 --wildcards '*/gsoap/stdsoap2.cpp' '*/gsoap/stdsoap2.h'
}

# prepare_gsoap LIBRARY HOW: sets `gsoap_flags`, `gsoap_sources` and `gsoap_libraries` to those of gSOAP's own source or, if it cannot
# be had, of Debian's LIBRARY, and writes which of both it is into the file HOW.
prepare_gsoap() {
    local library=$1 how=$2 version folder
    version=$(dpkg-query -W -f='${source:Version}' gsoap 2>/dev/null || true)
    folder=$here/.build/gsoap-$version
    gsoap_flags=() gsoap_sources=() gsoap_libraries=()
    if [[ -n $version ]] && (gsoap_source "$version"); then
        gsoap_flags=(-DWITH_NOIDREF -I"$folder")
        gsoap_sources=("$folder/stdsoap2.cpp")
        printf 'its own source' >"$how"
    else
        read -r -a gsoap_flags <<<"$(pkg-config --cflags "$library")"
        read -r -a gsoap_libraries <<<"$(pkg-config --libs "$library")"
        printf "Debian's library" >"$how"
    fi
}

# compile_gsoap PROGRAM WSDL OURS SIDE SOURCE…: generates code from WSDL into the current folder, for a client (-C) or a server (-S), and
# builds PROGRAM from OURS with what was generated and SOURCE…. `gsoap_flags`, `gsoap_sources` and `gsoap_libraries` are used.
compile_gsoap() {
    local program=$1 wsdl=$2 ours=$3 side=$4
    shift 4
    wsdl2h -P -o "$program.h" "$wsdl"
    soapcpp2 -1 "${side}Lx" -I/usr/share/gsoap/import "$program.h"
    # Our own code is compiled with warnings; what was generated, and the library, has some.
    g++ "${best[@]}" "${gsoap_flags[@]/#-I/-isystem}" -isystem . -o "$program.o" -c "$ours"
    g++ "${best[@]}" -w "${gsoap_flags[@]}" -I. -o "$program" "$program.o" soapC.cpp "$@" "${gsoap_sources[@]}" "${gsoap_libraries[@]}"
}

gsoap_version() {
    echo "gSOAP $(soapcpp2 -V 2>&1 | grep -oE '[0-9]+\.[0-9]+\.[0-9]+[A-Z]*' | head -n 1) ($(cat "$1"))"
}

build_zeep() {
    if [[ ! -x $zeep ]]; then python3 -m venv "$here/.build/zeep"; fi
    "$here/.build/zeep/bin/pip" install --quiet 'zeep>=4.3'
}

zeep_version() { echo "zeep $("$zeep" -c 'import zeep; print(zeep.__version__)')"; }

# make_certificates FOLDER: an authority, and a server and a client that it has issued certificates.
make_certificates() (
    umask 077
    cd "$1"
    openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj /CN=authority -keyout authority.key \
        -out authority.pem
    local name
    for name in server client; do
        openssl req -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -subj "/CN=$name" -keyout "$name.key" -out "$name.csr"
        printf 'subjectAltName=DNS:localhost\nextendedKeyUsage=%sAuth\n' "$name" >"$name.cnf"
        openssl x509 -req -in "$name.csr" -CA authority.pem -CAkey authority.key -CAcreateserial -days 2 -extfile "$name.cnf" \
            -out "$name.pem"
    done
    # gSOAP wants both in one file.
    for name in server client; do cat $name.key $name.pem >$name.both; done
)

# The standard input's numbers, one in a line.
median() { sort -g | awk '{ line[NR] = $1 } END { print NR % 2 ? line[(NR + 1) / 2] : (line[NR / 2] + line[NR / 2 + 1]) / 2 }'; }
