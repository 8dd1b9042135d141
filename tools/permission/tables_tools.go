package permission

import (
	"slices"
	"strings"

	"forge/lazy"
)

// systemTable is the family that shows the state of the machine.
var systemTable = lazy.Value[map[string]known]{Of: func() map[string]known {
	return map[string]known{
		"true": {operands: "text"}, "false": {operands: "text"}, ":": {operands: "text"},
		"exit": {operands: "text", most: 1, check: func(_ *scan, u use) bool {
			return len(u.operands) == 0 || u.operands[0].text != "" && strings.Trim(u.operands[0].text, "0123456789") == ""
		}},
		"whoami": {}, "logname": {}, "tty": {flags: "-s"}, "nproc": {flags: "--all --ignore:"}, "arch": {}, "uptime": {flags: "-ps --pretty --since"},
		"uname": {flags: "-asnrvmpio --all --kernel-name --nodename --kernel-release --kernel-version --machine --processor --hardware-platform --operating-system"},
		"id":    {flags: "-agGnruzZ --user --group --groups --name --real", operands: "text"}, "groups": {operands: "text"},
		"who": {flags: "-abdHlmpqrstTuw --all --boot --heading --count"}, "w": {flags: "-hsfoi"}, "users": {},
		"date": {flags: "-uR -d: -I? -r@ --date: --utc --universal --rfc-email --iso-8601? --rfc-3339: --reference@", operands: "text", most: 1, check: func(_ *scan, u use) bool {
			return len(u.operands) == 0 || strings.HasPrefix(u.operands[0].text, "+")
		}},
		"hostname": {flags: "-sI --short --all-ip-addresses"},
		"lscpu":    {flags: "-abcCepJyx --all --json --extended? --parse?"}, "lsblk": {flags: "-abdfilmnOpPrStJ -o: --all --json --output: --fs --noheadings"}, "lsmem": {flags: "-abJ"},
		"lsusb": {flags: "-tv"}, "lspci": {flags: "-vkmnt"}, "free": {flags: "-bkmghtlw --human --mega --giga --total --wide --si"}, "vmstat": {flags: "-andsw"},
		"locale": {flags: "-ackm --all-locales", operands: "text"}, "getconf": {flags: "-a", operands: "text", most: 1},
		"whereis": {flags: "-bms", operands: "text", check: namesOnly}, "which": {flags: "-as --all", operands: "text", check: namesOnly}, "type": {flags: "-aftpP", operands: "text", check: namesOnly},
		"command": {flags: "-vV", operands: "text", check: func(s *scan, u use) bool { return u.has("-v", "-V") && namesOnly(s, u) }},
		"sleep": {operands: "text", check: func(_ *scan, u use) bool {
			return !slices.ContainsFunc(u.operands, func(w word) bool { return strings.Trim(w.text, "0123456789.smhd") != "" })
		}},
		"pgrep": {flags: "-acflnovwxi -u: -U: -g: -P: -s: -t: -d: --full --list-name --list-full --count --exact --newest --oldest", operands: "text"},
		"pidof": {flags: "-sx -o:", operands: "text"},
	}
}}

// namesOnly: a program that is looked for lies in the system's directories or in
// the workspace.
func namesOnly(s *scan, u use) bool {
	return !slices.ContainsFunc(u.operands, func(w word) bool {
		return strings.Contains(w.text, "/") && !s.readable(w.text) && !systemProgram(w.text)
	})
}

// psReads accepts ps without the letter that prints environments. Letters without a
// dash may only stand first: later they may be a flag's value, and what looks like
// a value may be letters.
func (s *scan) psReads(args []word) bool {
	rest := args
	if len(args) > 0 && args[0].lit && args[0].text != "" && args[0].text[0] != '-' && strings.Trim(args[0].text, "auxwfljhvsTrmHnS") == "" {
		rest = args[1:]
	}
	return known{flags: "-AadeflFHjlNTwyLmcZM -C: -G: -g: -o: -p: -s: -t: -u: -U: -O: --cols: --columns: --format: --forest --headers --no-headers --no-heading --pid: --ppid: --user: --sort: --width: --rows:",
		operands: "text", check: func(_ *scan, u use) bool {
			if slices.ContainsFunc(u.flags, func(f flag) bool { return strings.Contains(strings.ToLower(f.value), "env") }) {
				return false
			}
			return !slices.ContainsFunc(u.operands, func(w word) bool { return strings.Trim(w.text, "0123456789,") != "" })
		}}.allows(s, rest)
}

// toolsTable is the family of compilers' and archives' looking glasses.
var toolsTable = lazy.Value[map[string]known]{Of: func() map[string]known {
	return map[string]known{
		"gofmt": {flags: "-d -e -l -s -r:", single: true, operands: "files"},
		"unzip": {flags: "-lvqZ1t", operands: "files", check: func(_ *scan, u use) bool {
			return u.has("-l", "-v", "-Z", "-t") && len(u.operands) > 0
		}},
		"zipinfo": {flags: "-12smlvhtTz", operands: "files"},
		"readelf": {at: true, flags: "-aehlSgtsnrudVAIWDC -x: -p: --all --file-header --program-headers --segments --section-headers --sections --symbols --syms --dyn-syms --notes --relocs --dynamic --version-info --wide --headers --string-dump: --hex-dump: --use-dynamic --demangle?",
			operands: "files"},
		"objdump": {at: true, flags: "-afphxdDsgrRtTCwz -j: -M: --archive-headers --file-headers --private-headers --section-headers --headers --all-headers --disassemble? --disassemble-all --full-contents --reloc --syms --dynamic-syms --demangle? --wide --no-show-raw-insn --section:",
			operands: "files"},
		"nm":      {at: true, flags: "-aABCDefgnoPprSsuv -t: --demangle? --defined-only --dynamic --extern-only --numeric-sort --print-size --size-sort --undefined-only --reverse-sort", operands: "files"},
		"size":    {at: true, flags: "-ABdox --format: --totals", operands: "files"},
		"c++filt": {at: true, flags: "-_nt", operands: "text"},
	}
}}

// goReads accepts the go commands that print without compiling or fetching.
func (s *scan) goReads(args []word) bool {
	if len(args) == 0 || !allLiteral(args) {
		return false
	}
	k, ok := goTable.Get()[args[0].text]
	return ok && k.allows(s, args[1:])
}

var goTable = lazy.Value[map[string]known]{Of: func() map[string]known {
	return map[string]known{
		"version": {flags: "-m -v", single: true, operands: "files"},
		"doc":     {flags: "-all -c -cmd -short -src -u", single: true, operands: "text", most: 2},
		"help":    {operands: "text"},
		"list": {flags: "-deps -e -f: -find -json? -m -test -compiled=false -mod: -tags:", single: true, operands: "text", check: func(s *scan, u use) bool {
			if m := u.value("-mod"); m != "" && m != "readonly" && m != "vendor" {
				return false
			}
			if u.has("-json") || strings.Contains(u.value("-f"), "Stale") { // these ask git what has changed
				for _, dir := range s.cwds {
					if s.w.git(dir) != "" {
						return false
					}
				}
			}
			return !slices.ContainsFunc(u.operands, func(w word) bool { // a version is asked of the network
				return strings.Contains(w.text, "@") || (strings.HasPrefix(w.text, "/") || strings.HasPrefix(w.text, ".")) && !s.readable(strings.TrimSuffix(w.text, "..."))
			})
		}},
		"env": {flags: "-json -changed", single: true, operands: "text", check: func(_ *scan, u use) bool {
			plain := []string{"GOPATH", "GOROOT", "GOMODCACHE", "GOCACHE", "GOOS", "GOARCH", "GOHOSTOS", "GOHOSTARCH", "GOVERSION", "GOMOD", "GOWORK", "GOBIN", "GOEXE",
				"GOTOOLDIR", "GO111MODULE", "CGO_ENABLED", "GOTOOLCHAIN", "GOENV", "GOEXPERIMENT", "GOAMD64", "GOARM64"}
			return len(u.operands) > 0 && !slices.ContainsFunc(u.operands, func(w word) bool { return !slices.Contains(plain, w.text) })
		}},
	}
}}

// opensslReads accepts the sub-commands that print a certificate or a digest.
func (s *scan) opensslReads(args []word) bool {
	if len(args) == 0 || !args[0].lit {
		return false
	}
	var k known
	switch args[0].text {
	case "version":
		k = known{single: true, flags: "-a -v -b -o -f -p -d"}
	case "x509", "req", "crl":
		k = known{single: true, flags: "-in@ -inform: -noout -text -subject -issuer -dates -startdate -enddate -serial -fingerprint -sha256 -sha1 -pubkey -email -purpose -hash -issuer_hash -subject_hash -modulus -ext: -nameopt: -certopt: -checkend: -verify -alias -lastupdate -nextupdate"}
	case "dgst", "sha256", "sha1", "md5", "sha512":
		k = known{single: true, flags: "-sha256 -sha1 -sha512 -sha384 -md5 -hex -r -c", operands: "files"}
	case "asn1parse":
		k = known{single: true, flags: "-in@ -inform: -i -dump"}
	}
	return k.flags != "" && k.allows(s, args[1:])
}
