#!/usr/bin/env bash
# man_page.sh PROGRAM: writes a program's manual page to standard output, generated from its --help and the --help of
# its subcommands.
set -euo pipefail
program=$1
name=$(basename "$program")
version=$("$program" --version | head -n 1)

roff() { # roff SUBCOMMAND (or ''): converts a help text to a page, or to a section of one
    awk -v name="$name" -v version="${version#* }" -v subcommand="$1" '
    function plain(text) {
        gsub(/\\/, "\\e", text)
        gsub(/-/, "\\-", text)
        sub(/^[.\x27]/, "\\\\\\&&", text)
        return text
    }
    function begin_page(  short) {
        short = description
        sub(/[.:;] .*|[.:;]$/, "", short)
        printf ".TH %s 1 \"\" \"mees %s\" \"mees\"\n", toupper(name), version
        printf ".SH NAME\n%s \\- %s\n", name, plain(tolower(substr(short, 1, 1)) substr(short, 2))
    }
    function synopsis(usage) {
        sub(/^Usage: /, "", usage)
        if (subcommand == "") {
            begin_page()
            print ".SH SYNOPSIS\n.B " plain(usage) "\n.SH DESCRIPTION"
        } else {
            print ".SH " toupper(subcommand) "\n.B " plain(usage) "\n.PP"
        }
        print plain(description)
    }
    function verbatim(on) {
        if (on != within) print (on ? ".nf" : ".fi")
        within = on
    }
    function entry(line,  term, rest) {
        term = line
        if (length(line) > 34 && substr(line, 34, 1) == " " && substr(line, 35, 1) != " ") {
            term = substr(line, 1, 33)
            rest = substr(line, 35)
        }
        gsub(/^ +| +$/, "", term)
        print ".TP\n.B " plain(term)
        if (rest != "") print plain(rest)
    }
    part == "" && !/^Usage: / { description = description (description == "" ? "" : " ") $0; next }
    part == ""                { synopsis($0); part = "list"; next }
    part == "list" && /^$/    { next }
    part == "list" && /^[A-Z][a-z]+:$/ {
        if (subcommand == "") print ".SH " toupper(substr($0, 1, length($0) - 1))
        next
    }
    part == "list" && /^  [^ ]/ { entry($0); next }
    part == "list" && /^ /    { sub(/^ +/, ""); print plain($0); next }
    subcommand != ""          { exit }
    part == "list"            { part = "footer"; if (!/^Exit codes: /) print ".SH NOTES" }
    /^Exit codes: /           { verbatim(0); print ".SH EXIT STATUS"; sub(/^Exit codes: /, "") }
    { verbatim(/^  /); print plain($0); if (/[.]$/ && !within) print ".PP" }
    END { verbatim(0) }'
}

help=$("$program" --help)
roff '' <<<"$help"
sed -n '/^Subcommands:/,/^$/s/^  \([a-z_]*\) .*/\1/p' <<<"$help" | while read -r subcommand; do
    "$program" "$subcommand" --help | roff "$subcommand"
done
printf '.SH SEE ALSO\n'
for other in mees_adapt mees_bench mees_evaluate mees_inspect mees_master mees_navigate mees_refine mees_replay; do
    [[ $other == "$name" ]] || printf '.BR %s (1)\n' "$other"
done
