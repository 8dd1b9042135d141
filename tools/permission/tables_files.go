package permission

import (
	"slices"
	"strings"

	"forge/lazy"
)

const sums = "-bctzw --check --quiet --status --strict --warn --ignore-missing --tag --binary --text --zero"

// listedSums: a list of sums that stands in a file. One that is typed may name any file.
func listedSums(_ *scan, u use) bool {
	return !u.has("-c", "--check") || len(u.operands) > 0 && !slices.ContainsFunc(u.operands, func(w word) bool { return w.text == "-" })
}

// filesTable is the family that looks at files and directories.
var filesTable = lazy.Value[map[string]known]{Of: func() map[string]known {
	return map[string]known{
		"ls": {flags: "-aAbBcCdfFgGhiklmnNopqQrRsStuUvxX1Z -I: -T: -w: --all --almost-all --author --escape --ignore-backups --color? --directory --classify? " +
			"--file-type --format: --full-time --group-directories-first --no-group --human-readable --si --inode --ignore: --hide: --numeric-uid-gid --literal " +
			"--reverse --recursive --size --sort: --time: --time-style: --width: --quoting-style: --indicator-style: --kibibytes --zero", operands: "files"},
		"pwd":      {flags: "-LP"},
		"cat":      {flags: "-AbeEnstTuv --number --number-nonblank --show-all --show-ends --show-tabs --squeeze-blank --show-nonprinting", operands: "files"},
		"head":     {flags: "-# -n: -c: -qvz --lines: --bytes: --quiet --silent --verbose --zero-terminated", operands: "files"},
		"tail":     {flags: "-# -n: -c: -qvz --lines: --bytes: --quiet --silent --verbose --zero-terminated", operands: "files"},
		"wc":       {flags: "-clLmw --bytes --chars --lines --words --max-line-length --total:", operands: "files"},
		"stat":     {flags: "-c: -ftL --format: --printf: --file-system --terse", operands: "files"},
		"file":     {flags: "-biIhkLN0nrE -F: -P: --brief --mime --mime-type --mime-encoding --no-dereference --keep-going --separator: --extension --raw", operands: "files"},
		"du":       {flags: "-0abchklmsSx -d: -t: --all --apparent-size --bytes --total --max-depth: --human-readable --si --summarize --separate-dirs --threshold: --exclude: --one-file-system --time? -B: --block-size: --inodes", operands: "files"},
		"df":       {flags: "-ahHiklPTx -t: -B: --all --human-readable --inodes --print-type --total --output? --local --type: --block-size:", operands: "files"},
		"tree":     {flags: "-adfisqQNpughDFCnvtUcrAJX -L: -I: -P: --dirsfirst --filesfirst --filelimit: --noreport --gitignore --prune --du --si --inodes --device --sort? --charset: --ignore-case --matchdirs --nolinks --timefmt:", operands: "files"},
		"exa":      {flags: "-1abBdFghHiIlLmrRsStTuUxG -L: --all --long --tree --level: --git-ignore --color? --icons? --no-permissions --no-user --no-time", operands: "files"},
		"realpath": {flags: "-eLmPqsz --canonicalize-existing --canonicalize-missing --logical --physical --quiet --strip --no-symlinks --relative-to@ --relative-base@", operands: "files"},
		"readlink": {flags: "-efmnqsvz --canonicalize --canonicalize-existing --canonicalize-missing --no-newline --quiet --silent --verbose --zero", operands: "files"},
		"namei":    {flags: "-xmovl", operands: "files"},
		"basename": {flags: "-az -s: --multiple --suffix: --zero", operands: "text"},
		"dirname":  {flags: "-z --zero", operands: "text"},
		"md5sum":   {flags: sums, operands: "files", check: listedSums}, "sha1sum": {flags: sums, operands: "files", check: listedSums}, "sha224sum": {flags: sums, operands: "files", check: listedSums},
		"sha256sum": {flags: sums, operands: "files", check: listedSums}, "sha384sum": {flags: sums, operands: "files", check: listedSums}, "sha512sum": {flags: sums, operands: "files", check: listedSums},
		"b2sum": {flags: sums + " -l:", operands: "files", check: listedSums}, "cksum": {flags: "-a: --algorithm: --untagged", operands: "files"}, "sum": {flags: "-rs", operands: "files"},
		"shasum": {flags: "-a: -bctU0", operands: "files", check: listedSums},
		"cmp":    {flags: "-bls -i: -n: --print-bytes --ignore-initial: --verbose --bytes: --quiet --silent", operands: "files", most: 2},
		"diff": {flags: "-abBcdeEiNnpqrstTuwyZ -U: -C: -I: -x: -W: -F: -# --brief --unified? --context? --side-by-side --width: --exclude: --label: --recursive --new-file --text " +
			"--ignore-case --ignore-all-space --ignore-space-change --ignore-blank-lines --ignore-trailing-space --ignore-tab-expansion --ignore-matching-lines: --minimal " +
			"--suppress-common-lines --color? --show-c-function --report-identical-files --strip-trailing-cr --expand-tabs --speed-large-files --no-dereference --normal --left-column",
			operands: "files", most: 2, check: func(s *scan, u use) bool {
				if !u.has("-r", "--recursive") || u.has("--no-dereference") {
					return true
				}
				// It goes through links as it goes down.
				return !slices.ContainsFunc(u.operands, func(w word) bool { return !w.lit || !s.linkless(w.text) })
			}},
		"diff3":      {flags: "-aeEimTxX3A", operands: "files", most: 3},
		"comm":       {flags: "-123z --check-order --nocheck-order --output-delimiter: --total --zero-terminated", operands: "files", most: 2},
		"xxd":        {flags: "-abeEipuC -c: -g: -l: -n: -o: -s:", operands: "files", most: 1},
		"od":         {flags: "-abcdfhilosvx -A: -j: -N: -S: -t: -w? --address-radix: --skip-bytes: --read-bytes: --format: --output-duplicates --width?", operands: "files"},
		"hexdump":    {flags: "-bCcdoxv -n: -s: -e: --canonical --length: --skip: --no-squeezing", operands: "files"},
		"hd":         {flags: "-bCcdoxv -n: -s: -e:", operands: "files"},
		"strings":    {at: true, flags: "-afow -# -n: -t: -e: -s: --all --bytes: --radix: --encoding: --print-file-name", operands: "files"},
		"lsattr":     {flags: "-adlpRv", operands: "files"},
		"getfacl":    {flags: "-aceEdnpst", operands: "files"},
		"mountpoint": {flags: "-qdn", operands: "files"},
	}
}}

// findReads accepts find with tests and the actions that only print.
func (s *scan) findReads(args []word) bool {
	i, follow := 0, false
	for i < len(args) && args[i].lit && (args[i].text == "-P" || args[i].text == "-L" || args[i].text == "-H") {
		follow = follow || args[i].text != "-P"
		i++
	}
	for ; i < len(args); i++ {
		t := args[i].text
		if strings.HasPrefix(t, "-") || t == "(" || t == "!" || t == ")" || t == "," {
			break
		}
		if !s.fileWord(args[i]) || follow && !(args[i].lit && s.linkless(t)) {
			return false
		}
	}
	rest, runs := s.findRuns(args[:i], args[i:])
	return runs && !(follow && len(rest) < len(args[i:])) && findTests.allows(s, rest)
}

var findTests = known{single: true, operands: "text", flags: "-name: -iname: -path: -ipath: -wholename: -iwholename: -regex: -iregex: -regextype: -lname: -ilname: " +
	"-type: -xtype: -size: -mtime: -mmin: -ctime: -cmin: -atime: -amin: -newer@ -anewer@ -cnewer@ -newermt: -samefile@ -perm: -user: -group: -uid: -gid: -links: -inum: " +
	"-maxdepth: -mindepth: -depth -d -mount -xdev -empty -readable -writable -executable -nouser -nogroup -true -false -prune -print -print0 -printf: -ls -quit " +
	"-o -or -a -and -not -daystart -noleaf -used: -fstype: -ignore_readdir_race -noignore_readdir_race -warn -nowarn",
	check: func(s *scan, u use) bool {
		for _, w := range u.operands {
			if w.text != "(" && w.text != ")" && w.text != "!" && w.text != "," {
				return false
			}
		}
		return true
	}}

// testReads accepts [ and test where every operator is known and compares texts
// or looks at a file inside. -v and the like evaluate subscripts.
func (s *scan) testReads(name string, args []word) bool {
	if name == "[" {
		if len(args) == 0 || args[len(args)-1].text != "]" {
			return false
		}
		args = args[:len(args)-1]
	}
	text := func(w word) bool { return w.lit || w.said || w.one && w.glob } // one word, whatever is in it
	if slices.ContainsFunc(args, func(w word) bool { return !text(w) }) {
		return false
	}
	if len(args) > 0 && args[0].lit && args[0].text == "!" {
		args = args[1:]
	}
	switch len(args) {
	case 2:
		if !args[0].lit {
			return false
		}
		switch args[0].text {
		case "-e", "-f", "-d", "-r", "-w", "-x", "-s", "-L", "-h", "-b", "-c", "-p", "-S", "-g", "-u", "-k", "-O", "-G", "-N":
			return s.oneFile(args[1])
		case "-z", "-n":
			return true
		case "-t":
			return args[1].lit && number(args[1].text)
		}
	case 3:
		if !args[1].lit {
			return false
		}
		switch args[1].text {
		case "=", "==", "!=":
			return true
		case "-eq", "-ne", "-lt", "-le", "-gt", "-ge":
			return args[0].lit && args[2].lit && number(args[0].text) && number(args[2].text)
		case "-nt", "-ot", "-ef":
			return s.oneFile(args[0]) && s.oneFile(args[2])
		}
	}
	return false
}

func number(s string) bool {
	s = strings.TrimPrefix(s, "-")
	return s != "" && strings.Trim(s, "0123456789") == ""
}
