package permission

import (
	"slices"
	"strings"

	"forge/lazy"
)

const diffFlags = " -abBCDMRcmpsuwzW -U: -S: -G: -X? -l: -M? -C? -B? --stat? --numstat --shortstat --dirstat? --summary --name-only --name-status --cached --staged --patch --no-patch --unified: --raw --patch-with-stat " +
	"--minimal --patience --histogram --diff-algorithm: --indent-heuristic --word-diff? --word-diff-regex: --color? --no-color --color-words? --color-moved? --check --full-index --binary --abbrev? --find-renames? " +
	"--find-copies? --find-copies-harder --diff-filter: --pickaxe-all --pickaxe-regex --relative? --no-relative --text --ignore-all-space --ignore-space-change --ignore-space-at-eol --ignore-cr-at-eol --ignore-blank-lines " +
	"--function-context --exit-code --quiet --no-ext-diff --no-textconv --no-renames --submodule? --ignore-submodules? --src-prefix: --dst-prefix: --no-prefix --default-prefix --merge-base --compact-summary --cc --combined-all-paths " +
	"--inter-hunk-context: --output-indicator-new: --output-indicator-old: --ws-error-highlight: --irreversible-delete --find-object: -t -r --root --no-commit-id"

const logFlags = diffFlags + " -# -n: -i -E -F -P -g -L: --oneline --graph --all --decorate? --no-decorate --decorate-refs: --decorate-refs-exclude: --max-count: --skip: --since: --after: --until: --before: --author: --committer: --grep: " +
	"--invert-grep --all-match --regexp-ignore-case --extended-regexp --fixed-strings --perl-regexp --merges --no-merges --min-parents: --max-parents: --first-parent --exclude-first-parent-only --follow --reverse --date: --relative-date " +
	"--format: --pretty? --abbrev-commit --no-abbrev-commit --branches? --tags? --remotes? --glob: --exclude: --date-order --topo-order --author-date-order --ancestry-path? --left-right --cherry-pick --cherry-mark --cherry " +
	"--left-only --right-only --boundary --simplify-by-decoration --full-history --dense --sparse --simplify-merges --show-pulls --walk-reflogs --reflog --source --parents --children --notes? --no-notes --not --count --objects " +
	"--no-walk? --log-size --mailmap --no-mailmap --use-mailmap --no-use-mailmap --encoding: --expand-tabs? --no-expand-tabs --show-linear-break? --diff-merges:"

const listFlags = " --sort: --format: --contains: --no-contains: --merged? --no-merged? --points-at: --color? --no-color --column? --no-column --ignore-case --omit-empty --count:"

// gitTable is every git sub-command that only reads.
var gitTable = lazy.Value[map[string]known]{Of: func() map[string]known {
	return map[string]known{
		"status": {flags: "-sbvz -u? -M? --short --branch --porcelain? --long --verbose --show-stash --untracked-files? --ignored? --ignore-submodules? --ahead-behind --no-ahead-behind --column? --no-column --renames --no-renames --find-renames?", operands: "text"},
		"log":    {flags: logFlags, operands: "text"}, "show": {flags: logFlags, operands: "text"}, "whatchanged": {flags: logFlags, operands: "text"}, "diff": {flags: diffFlags + " --no-index", operands: "text"}, "shortlog": {flags: logFlags + " -sne -w? --summary --numbered --email --group:", operands: "text"},
		"rev-list": {flags: logFlags, operands: "text"}, "diff-tree": {flags: logFlags, operands: "text"}, "diff-index": {flags: diffFlags, operands: "text"}, "diff-files": {flags: diffFlags, operands: "text"},
		"range-diff": {flags: diffFlags + " --creation-factor: --left-only --right-only", operands: "text"}, "cherry": {flags: "-v --abbrev?", operands: "text"},
		"blame":    {flags: "-cefklnpstwW -L: -M? -C? --porcelain --line-porcelain --incremental --show-name --show-number --show-email --show-stats --date: --since: --abbrev: --color-lines --color-by-age --ignore-rev: --first-parent --root --reverse", operands: "text"},
		"annotate": {flags: "-lt -L:", operands: "text"},
		"describe": {flags: "--tags --always --all --long --abbrev: --match: --exclude: --contains --exact-match --first-parent --candidates: --debug", operands: "text"},
		"rev-parse": {flags: "-q --short? --abbrev-ref? --show-toplevel --git-dir --absolute-git-dir --git-common-dir --git-path: --verify --quiet --is-inside-work-tree --is-inside-git-dir --is-bare-repository --is-shallow-repository " +
			"--symbolic-full-name --symbolic --show-prefix --show-cdup --show-superproject-working-tree --show-object-format? --all --branches? --tags? --remotes? --path-format: --revs-only --no-revs --flags --no-flags --default:", operands: "text"},
		"ls-files": {flags: "-cdmoistukvzfx -x: --cached --deleted --modified --others --ignored --stage --unmerged --killed --directory --no-empty-directory --eol --deduplicate --exclude-standard --exclude: --error-unmatch --full-name " +
			"--recurse-submodules --abbrev? --format: --resolve-undo", operands: "text"},
		"ls-tree":  {flags: "-drtlz --name-only --name-status --object-only --full-name --full-tree --long --abbrev? --format:", operands: "text"},
		"cat-file": {flags: "-ptse", operands: "text"},
		"grep": {flags: "-aceEFGhHiIlLnopPqvwWz -# -e: -A: -B: -C: -m: --text --count --extended-regexp --basic-regexp --fixed-strings --perl-regexp --ignore-case --invert-match --line-number --column --name-only --files-with-matches --files-without-match " +
			"--null --only-matching --quiet --show-function --function-context --word-regexp --cached --untracked --no-exclude-standard --exclude-standard --max-depth: --recursive --no-recursive --heading --break --color? --no-color --full-name " +
			"--and --or --not --all-match --after-context: --before-context: --context: --max-count: --threads: --no-textconv", operands: "text"},
		"merge-base":       {flags: "-a --all --octopus --independent --is-ancestor --fork-point", operands: "text"},
		"for-each-ref":     {flags: listFlags, operands: "text"},
		"show-ref":         {flags: "-dqs --head --heads --branches --tags --verify --dereference --hash? --abbrev? --quiet --exists", operands: "text"},
		"show-branch":      {flags: "-ar --all --remotes --current --topo-order --date-order --sparse --more? --list --merge-base --independent --no-name --sha1-name --topics --reflog?", operands: "text"},
		"name-rev":         {flags: "--tags --refs: --exclude: --all --name-only --no-undefined --always", operands: "text"},
		"count-objects":    {flags: "-vH --verbose --human-readable"},
		"check-ignore":     {flags: "-qvnz --quiet --verbose --non-matching --no-index", operands: "text"},
		"check-attr":       {flags: "-az --all --cached", operands: "text"},
		"check-ref-format": {flags: "--branch --normalize --allow-onelevel --refspec-pattern", operands: "text"},
		"version":          {flags: "--build-options"},
	}
}}

// gitLists are sub-commands that read only in some of their forms.
var gitLists = lazy.Value[map[string]known]{Of: func() map[string]known {
	return map[string]known{
		"branch": {flags: "-arvli -vv --list --all --remotes --verbose --show-current --abbrev? --no-abbrev" + listFlags, operands: "text", check: func(_ *scan, u use) bool {
			return len(u.operands) == 0 || u.has("-l", "--list", "--contains", "--no-contains", "--points-at") || u.has("--merged", "--no-merged")
		}},
		"tag": {flags: "-li -n? --list" + listFlags, operands: "text", check: func(_ *scan, u use) bool {
			return len(u.operands) == 0 || u.has("-l", "--list", "--contains", "--no-contains", "--points-at", "--merged", "--no-merged")
		}},
		"remote": {flags: "-v --verbose"}, "remote get-url": {flags: "--push --all", operands: "text", most: 1},
		"worktree list": {flags: "-vz --porcelain --verbose"},
		"stash list":    {flags: logFlags, operands: "text"}, "stash show": {flags: logFlags + " --include-untracked --only-untracked", operands: "text"},
		"reflog": {flags: logFlags, operands: "text"}, "reflog show": {flags: logFlags, operands: "text"}, "reflog exists": {operands: "text"},
		"notes list": {operands: "text"}, "notes show": {operands: "text"}, "notes": {},
		"bisect log": {}, "sparse-checkout list": {},
		"symbolic-ref": {flags: "-q --quiet --short --recurse --no-recurse", operands: "text", most: 1},
		"config": {flags: "-z --get --get-all --local --global --system --worktree --show-origin --show-scope --type: --bool --int --path --null --default:", operands: "text", check: func(_ *scan, u use) bool {
			return (len(u.operands) == 1 || u.has("--get", "--get-all") && len(u.operands) > 0) && plainKey(u.operands[0].text)
		}},
		"config get": {flags: "--all --local --global --system --show-origin --type: --default:", operands: "text", check: func(_ *scan, u use) bool {
			return len(u.operands) == 1 && plainKey(u.operands[0].text)
		}},
	}
}}

// plainKey: a configuration key that no tool keeps a secret under.
func plainKey(k string) bool {
	k = strings.ToLower(k)
	for _, part := range []string{"extraheader", "token", "password", "secret", "cookie", "proxy", "insteadof", "credential", "apikey"} {
		if strings.Contains(k, part) {
			return false
		}
	}
	return true
}

// gitSigns are formats that make git call gpg.
var gitSigns = lazy.Regexp{Expr: `%[<>|+ -]*(?:\([^)]*\))?G|%\(\*?signature`}

// gitReads accepts a read of a repository whose configuration runs nothing.
func (s *scan) gitReads(args []word) bool {
	for len(args) > 0 && args[0].lit && (args[0].text == "--no-pager" || args[0].text == "-P" || args[0].text == "--no-optional-locks" || args[0].text == "--literal-pathspecs") {
		args = args[1:]
	}
	if len(args) > 2 && args[0].lit && args[0].text == "-C" { // as after cd
		outer := s.cwds
		defer func() { s.cwds = outer }()
		if !s.cdInside(args[1:2]) {
			return false
		}
		in := slices.Clone(s.cwds)
		for i, dir := range in {
			if in[i], _ = s.w.reach(dir, args[1].text); !exists(in[i]) {
				return false
			}
		}
		s.cwds, args = in, args[2:]
	}
	if len(args) == 0 || slices.ContainsFunc(args, func(w word) bool { return !w.lit && !(w.commit && !strings.HasPrefix(w.text, "-")) }) {
		return false
	}
	k, rest, ok := gitRead(args)
	if !ok {
		return false
	}
	for _, a := range rest {
		if gitSigns.Get().MatchString(a.text) {
			return false
		}
	}
	u, ok := k.split(s, rest)
	if !ok || k.operands == "" && len(u.operands) > 0 || k.most > 0 && len(u.operands) > k.most || k.check != nil && !k.check(s, u) {
		return false
	}
	for _, w := range u.operands {
		if !s.inRepo(w.text) || u.has("--no-index") && !s.readable(w.text) {
			return false
		}
	}
	for _, f := range u.flags { // to sort by a signature is to verify it; git diff runs in repositories within, as they set it up
		if f.name == "--sort" && strings.Contains(f.value, "signature") || f.name == "--submodule" && f.value == "diff" {
			return false
		}
	}
	for _, dir := range s.cwds {
		switch why := s.w.git(dir); why {
		case "":
		case unread:
			s.risk(Medium, why)
			return false
		default:
			s.risk(High, "git would run programs here: "+why)
			return false
		}
		if found, _ := gitDir(dir); found == "" && args[0].text == "diff" { // it compares any two files then
			return false
		}
	}
	return true
}

func gitRead(args []word) (known, []word, bool) {
	if len(args) > 1 {
		if k, ok := gitLists.Get()[args[0].text+" "+args[1].text]; ok {
			return k, args[2:], true
		}
	}
	if k, ok := gitTable.Get()[args[0].text]; ok {
		return k, args[1:], true
	}
	k, ok := gitLists.Get()[args[0].text]
	if ok && args[0].text == "reflog" && len(args) > 1 && (args[1].text == "expire" || args[1].text == "delete" || args[1].text == "drop" || args[1].text == "write") {
		return k, nil, false
	}
	return k, args[1:], ok
}

// inRepo reports whether a revision, a range or a path stays within the
// repository and names no secret.
func (s *scan) inRepo(t string) bool {
	if strings.HasPrefix(t, "/") || t == ".." || strings.HasPrefix(t, "../") || strings.Contains(t, "/../") {
		if !s.readable(t) {
			return false
		}
	}
	name := t
	if _, after, ok := strings.Cut(t, ":"); ok {
		name = after
	}
	return !secretFile(name)
}
