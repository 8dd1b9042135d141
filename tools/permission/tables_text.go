package permission

import (
	"path"
	"slices"
	"strings"

	"forge/lazy"
)

const grepFlags = "-abcEFGhHiIlLnoPqrsTuUvwxyzZ -# -e: -f@ -A: -B: -C: -m: -d: -D: --after-context: --before-context: --context: --basic-regexp --extended-regexp --fixed-strings " +
	"--perl-regexp --regexp: --file@ --ignore-case --no-ignore-case --invert-match --word-regexp --line-regexp --count --color? --colour? --files-with-matches --files-without-match --max-count: " +
	"--only-matching --quiet --silent --no-messages --byte-offset --with-filename --no-filename --line-number --initial-tab --null --text --binary-files: --exclude: --include: " +
	"--exclude-dir: --recursive --null-data --line-buffered --label: --directories: --devices: -R --dereference-recursive"

// asksForSecrets reports whether a pattern of files names those that hold secrets.
func asksForSecrets(u use) bool {
	return slices.ContainsFunc(u.flags, func(f flag) bool {
		return slices.Contains([]string{"--include", "-g", "--glob", "--iglob"}, f.name) && !strings.HasPrefix(f.value, "!") && secretFile(path.Base(strings.Trim(f.value, "*{}")))
	})
}

func grepCheck(s *scan, u use) bool {
	if asksForSecrets(u) {
		return false
	}
	if !u.has("-R", "--dereference-recursive") {
		return true
	}
	rest := u.operands
	if !u.has("-e", "-f", "--regexp", "--file") && len(rest) > 0 {
		rest = rest[1:]
	}
	if len(rest) == 0 {
		return s.linkless(".")
	}
	return !slices.ContainsFunc(rest, func(w word) bool { return !w.lit || !s.linkless(w.text) })
}

// textTable is the family that reads text and prints other text.
var textTable = lazy.Value[map[string]known]{Of: func() map[string]known {
	return map[string]known{
		"grep":  {flags: grepFlags, operands: "text? files", check: grepCheck},
		"egrep": {flags: grepFlags, operands: "text? files", check: grepCheck},
		"fgrep": {flags: grepFlags, operands: "text? files", check: grepCheck},
		"rg": {flags: "-abcFHhiIlnNopPqsSuUvwx0 -# -e: -f@ -A: -B: -C: -E: -g: -m: -M: -t: -T: -r: -j: -d: --regexp: --file@ --after-context: --before-context: --context: --glob: --iglob: --type: --type-not: " +
			"--type-list --files --files-with-matches --files-without-match --count --count-matches --hidden --no-ignore --no-ignore-vcs --no-ignore-parent --no-ignore-dot --ignore-case --smart-case --case-sensitive " +
			"--fixed-strings --word-regexp --line-regexp --invert-match --line-number --no-line-number --column --heading --no-heading --with-filename --no-filename --only-matching --max-count: " +
			"--max-depth: --maxdepth: --max-columns: --max-columns-preview --max-filesize: --multiline --multiline-dotall --pcre2 --null --null-data --pretty --quiet --replace: --sort: --sortr: --stats --text --trim " +
			"--unrestricted --vimgrep --color: --colors: --json --passthru --no-messages --crlf --engine: --encoding: --threads: --binary --one-file-system --no-config --debug --no-pre --no-search-zip --no-follow",
			operands: "text? files", check: func(s *scan, u use) bool {
				if asksForSecrets(u) {
					return false
				}
				if !u.has("--files", "--type-list") || len(u.operands) == 0 {
					return true
				}
				for _, w := range u.operands { // no pattern then: the first one is a path too
					if !w.lit || !s.readable(w.text) {
						return false
					}
				}
				return true
			}},
		"fd": {flags: "-HIugisapF01 -e: -t: -d: -E: -S: -o: --hidden --no-ignore --no-ignore-vcs --unrestricted --glob --regex --fixed-strings --ignore-case --case-sensitive --absolute-path --full-path --print0 " +
			"--max-depth: --min-depth: --exact-depth: --extension: --type: --exclude: --size: --changed-within: --changed-before: --color: --max-results: --prune --strip-cwd-prefix --no-follow", operands: "text files"},
		"sort": {flags: "-bcCdfghiMmnrRsuVz -k: -t: --ignore-leading-blanks --check? --dictionary-order --ignore-case --general-numeric-sort --human-numeric-sort --ignore-nonprinting --month-sort --merge " +
			"--numeric-sort --reverse --random-sort --stable --unique --version-sort --zero-terminated --key: --field-separator: --sort: --debug", operands: "files"},
		"uniq": {flags: "-cdDiuz -f: -s: -w: --count --repeated --ignore-case --unique --skip-fields: --skip-chars: --check-chars: --zero-terminated --group? --all-repeated?", operands: "files", most: 1},
		"tr":   {flags: "-cCdst --complement --delete --squeeze-repeats --truncate-set1", operands: "text", most: 2},
		"cut":  {flags: "-nsz -b: -c: -d: -f: --bytes: --characters: --delimiter: --fields: --complement --only-delimited --output-delimiter: --zero-terminated", operands: "files"},
		"rev":  {operands: "files"}, "tac": {flags: "-br -s: --before --regex --separator:", operands: "files"},
		"paste":    {flags: "-sz -d: --delimiters: --serial", operands: "files"},
		"join":     {flags: "-iz -a: -e: -j: -o: -t: -v: -1: -2: --check-order --nocheck-order --header --ignore-case", operands: "files", most: 2},
		"fold":     {flags: "-bs -w: --bytes --spaces --width:", operands: "files"},
		"fmt":      {flags: "-cstu -w: -p: -g: -# --width: --split-only", operands: "files"},
		"expand":   {flags: "-i -t: --initial --tabs:", operands: "files"},
		"unexpand": {flags: "-a -t: --all --first-only --tabs:", operands: "files"},
		"nl":       {flags: "-p -b: -d: -f: -h: -i: -l: -n: -s: -v: -w: --body-numbering:", operands: "files"},
		"column":   {flags: "-txenJ -s: -c: -o: -N: -R: --table --separator: --output-separator: --json", operands: "files"},
		"look": {flags: "-adf -t:", operands: "text files", check: func(_ *scan, u use) bool { // without one it reads the system's
			return len(u.operands) > 1
		}},
		"tsort":  {operands: "files", most: 1},
		"shuf":   {flags: "-erz -i: -n: --echo --input-range: --head-count: --repeat", operands: "files"},
		"base64": {flags: "-di -w: --decode --ignore-garbage --wrap:", operands: "files", most: 1},
		"base32": {flags: "-di -w: --decode --ignore-garbage --wrap:", operands: "files", most: 1},
		"iconv":  {flags: "-cls -f: -t: --list --from-code: --to-code:", operands: "files"},
		"seq":    {flags: "-w -s: -f: --equal-width --separator: --format:", operands: "text", most: 3},
		"numfmt": {flags: "--to: --from: --suffix: --padding: --format: --field: --header? --grouping --invalid: -d: --delimiter:", operands: "text"},
		"factor": {operands: "text"}, "expr": {operands: "text"},
		"pr":     {flags: "-adDfFmtTJ -h: -l: -o: -w: -W: -N: -# --header: --length: --indent: --width: --omit-header --merge --across", operands: "files"},
		"gzip":   {flags: "-dclktvq --decompress --stdout --to-stdout --list --test --verbose --quiet --keep", operands: "files", check: toStdout},
		"gunzip": {flags: "-clktvq --stdout --to-stdout --list --test --verbose --quiet --keep", operands: "files", check: toStdout},
		"zcat":   {operands: "files"},
		"bzcat":  {operands: "files"}, "xzcat": {operands: "files"}, "zstdcat": {operands: "files"},
		"xz":    {flags: "-dcltvqk --decompress --stdout --list --test --verbose --quiet --keep", operands: "files", check: toStdout},
		"bzip2": {flags: "-dctvqk --decompress --stdout --test --verbose --quiet --keep", operands: "files", check: toStdout},
		"zstd":  {flags: "-dcltvqk --decompress --stdout --list --test --verbose --quiet --keep", operands: "files", check: toStdout},
		"cal":   {flags: "-13mjy", operands: "text", most: 3},
	}
}}

// toStdout: what unpacks leaves the files as they are.
func toStdout(_ *scan, u use) bool {
	return len(u.operands) > 0 && u.has("-c", "--stdout", "--to-stdout", "-l", "--list", "-t", "--test")
}

// sedReads accepts sed with scripts of commands that only print, delete and
// substitute, and flags that neither write nor read another script.
func (s *scan) sedReads(args []word) bool {
	k := known{flags: "-nErsuzl -e: --quiet --silent --regexp-extended --expression: --separate --unbuffered --null-data --posix --sandbox --debug", operands: "text"}
	u, ok := k.split(s, args)
	if !ok || u.has("-l") {
		return false
	}
	files, scripts := u.operands, 0
	for _, f := range u.flags {
		if f.name == "-e" || f.name == "--expression" {
			scripts++
			if !sedPrints(f.value) {
				return false
			}
		}
	}
	if scripts == 0 {
		if len(files) == 0 || !files[0].lit || !sedPrints(files[0].text) {
			return false
		}
		files = files[1:]
	}
	return !slices.ContainsFunc(files, func(w word) bool { return !s.fileWord(w) })
}

// sedAddress is a number, $ or a pattern. A / inside brackets is left out: seds
// differ on what it means.
var sedAddress = lazy.Regexp{Expr: `^(?:\d+(?:~\d+)?|\$|/(?:[^/\\\n\[]|\\[^\n]|\[[^/\]\\\n]+\])*/I?)`}

// sedPrints reports whether a script holds nothing but addresses and the
// commands p d D P q Q = n N g G h H x l, y and s without e and w.
func sedPrints(script string) bool {
	p := script
	for {
		p = strings.TrimLeft(p, " \t;\n}{")
		if p == "" {
			return true
		}
		if loc := sedAddress.Get().FindString(p); loc != "" {
			p = strings.TrimLeft(p[len(loc):], " \t")
			if strings.HasPrefix(p, ",") {
				p = strings.TrimLeft(p[1:], " \t")
				p = strings.TrimPrefix(strings.TrimPrefix(p, "+"), "~")
				loc := sedAddress.Get().FindString(p)
				if loc == "" {
					return false
				}
				p = p[len(loc):]
			}
		}
		p = strings.TrimLeft(p, " \t!")
		if p == "" {
			return false
		}
		c := p[0]
		p = p[1:]
		switch {
		case c == '{':
		case strings.IndexByte("pdDPqQ=nNgGhHxl", c) >= 0:
			p = strings.TrimLeft(p, "0123456789 \t")
			if p != "" && !strings.ContainsRune(";\n}", rune(p[0])) {
				return false
			}
		case c == 's' || c == 'y':
			rest, ok := sedParts(p)
			if !ok {
				return false
			}
			flags := rest[:len(rest)-len(strings.TrimLeft(rest, "gpiI0123456789"))]
			p = strings.TrimLeft(rest[len(flags):], " \t")
			if p != "" && !strings.ContainsRune(";\n}", rune(p[0])) {
				return false
			}
		default:
			return false
		}
	}
}

// sedParts skips the two parts of s and y.
func sedParts(p string) (rest string, ok bool) {
	if p == "" || strings.IndexByte("\\\n \t;{}", p[0]) >= 0 || p[0] >= 0x80 {
		return "", false
	}
	d, left := p[0], 2
	for i := 1; i < len(p); i++ {
		switch {
		case p[i] == '\\':
			i++
		case p[i] == '[': // a delimiter inside brackets is read in two ways
			if strings.IndexByte(p[i:], d) >= 0 && strings.IndexByte(p[i:], d) < strings.IndexByte(p[i:]+"]", ']') {
				return "", false
			}
		case p[i] == d:
			if left--; left == 0 {
				return p[i+1:], true
			}
		}
	}
	return "", false
}

// awkReaches is what an awk program needs to run, read or write something beside
// its input: these words, | and @, and > behind a print. They are looked for in
// its strings too, so that no way of reading the program can hide one.
var awkReaches = lazy.Regexp{Expr: `system|getline|ENVIRON|PROCINFO|SYMTAB|FUNCTAB|ARGV|ARGC|extension|include|load|close|[@|\x00-\x08]|(?s:print.*>)|\\\n|[^\x00-\x7f]`}

// awkPrints reports whether a program does no more than compute and print.
func awkPrints(p string) bool {
	return strings.TrimSpace(p) != "" && !awkReaches.Get().MatchString(strings.ReplaceAll(p, "||", "  "))
}

// awkReads accepts a program that only computes and prints, on files inside.
func (s *scan) awkReads(args []word) bool {
	u, ok := known{flags: "-F: -v:"}.split(s, args)
	if !ok || len(u.operands) == 0 || !u.operands[0].lit || !awkPrints(u.operands[0].text) {
		return false
	}
	for _, w := range u.operands[1:] { // name=value would be an assignment
		if !w.found && (!w.lit || strings.Contains(w.text, "=") || !s.readable(w.text)) {
			return false
		}
	}
	return true
}

var jqReaches = lazy.Regexp{Expr: `\benv\b|\$ENV|\bimport\b|\binclude\b|\bmodulemeta\b|\bget_search_list\b|\binput_filename\b|\bhalt_error\b`}

// jqReads accepts a filter that takes nothing from outside its input.
func (s *scan) jqReads(args []word) bool {
	var rest []word
	for i := 0; i < len(args); i++ { // flags with two values
		if t := args[i].text; args[i].lit && (t == "--arg" || t == "--argjson") {
			if i+2 >= len(args) || !args[i+1].lit || !args[i+2].lit {
				return false
			}
			i += 2
			continue
		}
		rest = append(rest, args[i])
	}
	u, ok := known{flags: "-rcnSseMCajR --raw-output --compact-output --null-input --sort-keys --slurp --exit-status --monochrome-output --color-output --ascii-output " +
		"--join-output --raw-input --tab --indent:"}.split(s, rest)
	if !ok || len(u.operands) == 0 || !u.operands[0].lit || jqReaches.Get().MatchString(u.operands[0].text) {
		return false
	}
	return !slices.ContainsFunc(u.operands[1:], func(w word) bool { return !s.fileWord(w) })
}
