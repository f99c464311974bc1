# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: 2026 The Larder authors

# Real pairs of versions, got by package name and kept in build/pairs; sourced, never run.

pairs=$root/build/pairs
# Two wheels of a dictionary whose entries move; two of models, textures and programs; and one game's data in two Debian
# releases, whose levels are few large files.
default_pairs=(sudachi robosuite freedoom)

# get_pair NAME: makes the folders $pairs/NAME/old and $pairs/NAME/new.
get_pair() {
    case "$1" in
    sudachi) pair_of_wheels "$1" sudachidict_core 20260723.1 20261015 ;;
    robosuite) pair_of_wheels "$1" robosuite 1.5.1 1.5.2 ;;
    freedoom | freeorion-data) pair_of_suites "$1" bookworm trixie ;;
    *) die "no pair named '$1' (sudachi, robosuite, freedoom, freeorion-data)" ;;
    esac
}

# pair_of_wheels NAME PACKAGE OLD NEW
pair_of_wheels() {
    local python folder=$pairs/$1
    [ ! -d "$folder/new" ] || return 0
    python=$(find_pip) || die "python3 has no working pip"
    step "getting $2 $3 and $4"
    for version in "$3" "$4"; do
        quietly env PIP_DISABLE_PIP_VERSION_CHECK=1 "$python" -m pip download --no-deps --only-binary :all: \
            -d "$folder/$version" "$2==$version" || die "pip could not fetch $2 $version"
    done
    pair_of "$1" "$folder/$3"/*.whl "$folder/$4"/*.whl
    rm -rf "${folder:?}/$3" "${folder:?}/$4"
}

# pair_of_suites PACKAGE OLD NEW: with package lists of its own, so that what is configured on this machine stays as it is.
pair_of_suites() {
    local folder=$pairs/$1 lists=$pairs/apt archive apt
    [ ! -d "$folder/new" ] || return 0
    step "getting $1 of $2 and of $3"
    # shellcheck disable=SC2016
    archive=$(apt-get indextargets --format '$(REPO_URI)' 'Label: Debian' 'Created-By: Packages' | head -n 1)
    [ -n "$archive" ] ||
        die "apt has no Debian archive here: $1 cannot be had in two versions"
    mkdir -p "$lists/lists/partial" "$lists/cache/archives/partial" "$folder"
    printf 'Types: deb\nURIs: %s\nSuites: %s %s\nComponents: main\nSigned-By: %s\n' \
        "$archive" "$2" "$3" /usr/share/keyrings/debian-archive-keyring.gpg >"$lists/pairs.sources"
    apt=(apt-get -q -o Dir::Etc::SourceList="$lists/pairs.sources" -o Dir::Etc::SourceParts=/dev/null
        -o Dir::State::Lists="$lists/lists" -o Dir::Cache="$lists/cache" -o APT::Sandbox::User=root)
    quietly "${apt[@]}" update || die "apt could not read the package lists of $2 and $3"
    for suite in "$2" "$3"; do
        mkdir -p "$folder/$suite"
        (cd "$folder/$suite" && quietly "${apt[@]}" download "$1/$suite") || die "apt could not fetch $1 of $suite"
        say "    $(basename "$folder/$suite"/*.deb)"
    done
    pair_of "$1" "$folder/$2"/*.deb "$folder/$3"/*.deb
    rm -rf "${folder:?}/$2" "${folder:?}/$3"
}

# pair_of NAME OLD NEW: two folders, wheels or Debian packages.
pair_of() {
    local folder=$pairs/$1
    rm -rf "$folder/old" "$folder/new"
    mkdir -p "$folder"
    unpack "$2" "$folder/old"
    unpack "$3" "$folder/.new"
    # Last: its name tells that both are whole.
    mv "$folder/.new" "$folder/new"
}

unpack() {
    rm -rf "$2" "$2.all"
    case "$1" in
    *.whl | *.zip) /usr/bin/python3 -m zipfile -e "$1" "$2" ;;
    *.deb)
        dpkg-deb -x "$1" "$2.all"
        # Of a game its data, not what Debian says about it.
        if [ -d "$2.all/usr/share/games" ]; then mv "$2.all/usr/share/games" "$2"; else mv "$2.all" "$2"; fi
        rm -rf "$2.all"
        ;;
    *) if [ -d "$1" ]; then cp -a "$1" "$2"; else die "$1 is no folder, wheel or Debian package"; fi ;;
    esac
    # A pack holds no links that lead out of it.
    find "$2" -type l -lname '/*' -delete
    find "$2" -xtype l -delete
}
