package permission

import (
	"slices"
	"strings"
)

// git judges git by its sub-command; what it says of a read is only why the
// tables did not vouch for it.
func (c *command) git() {
	s := c.s
	args := c.args
	for len(args) > 0 && strings.HasPrefix(args[0].text, "-") {
		t := args[0].text
		name, _, attached := strings.Cut(t, "=")
		takes := false
		switch {
		case t == "-C":
			takes = true
			s.risk(Medium, "works in another directory")
			if len(args) > 1 {
				s.reads(args[1])
			}
		case t == "-c" || strings.HasPrefix(t, "-c") && t[1] != '-' && len(t) > 2:
			takes = t == "-c"
			v := strings.TrimPrefix(t, "-c")
			if takes && len(args) > 1 {
				v = args[1].text
			}
			if key, _, _ := strings.Cut(v, "="); !quietKey(key) {
				s.risk(High, "sets "+key+" for git, by which it may run programs")
			} else {
				s.risk(Medium, "sets a git option for once")
			}
			if _, v, ok := strings.Cut(v, "=!"); ok {
				s.read(v)
			}
		case name == "--config-env", name == "--exec-path" && attached, name == "--git-dir", name == "--work-tree", name == "--namespace", name == "--super-prefix", name == "--attr-source":
			takes = !attached && name != "--exec-path"
			s.risk(High, "has git use another repository, configuration or program")
		case t == "-p" || t == "--paginate":
			s.risk(Medium, "runs a pager")
		case t == "--bare":
			s.risk(High, "has git take the directory for a repository")
		}
		if args = args[1:]; takes && len(args) > 0 {
			args = args[1:]
		}
	}
	if len(args) == 0 {
		return
	}
	sub := &command{s: s, name: args[0].text, args: args[1:], feed: c.feed}
	if !args[0].lit {
		s.risk(High, "the git command is not written out")
		return
	}
	sub.gitHelpers()
	sub.gitCommand()
}

// gitHelpers are flags by which any sub-command runs something.
func (c *command) gitHelpers() {
	s := c.s
	for i, a := range c.args {
		if a.text == "--" {
			break
		}
		switch {
		case isFlag(a.text, "--ext-diff"), isFlag(a.text, "--textconv"), isFlag(a.text, "--show-signature"), isFlag(a.text, "--upload-pack") && a.text != "--upload", isFlag(a.text, "--receive-pack"),
			isFlag(a.text, "--exec") && a.text != "--exec-path", isFlag(a.text, "--open-files-in-pager"), isFlag(a.text, "--extcmd"), isFlag(a.text, "--tool") && c.name != "merge", isFlag(a.text, "--template"), isFlag(a.text, "--filters"):
			s.ungrantable = true
			s.risk(High, "has git run a helper program: "+a.text)
		case isFlag(a.text, "--submodule") && strings.HasSuffix(a.text, "=diff"):
			s.ungrantable = true
			s.risk(High, "has git obey repositories within this one")
		case gitSigns.Get().MatchString(a.text) && strings.HasPrefix(a.text, "-"):
			s.risk(High, "has git run gpg")
		case c.name == "tag" && (isFlag(a.text, "-v") || isFlag(a.text, "--verify")):
			s.risk(High, "has git run gpg")
		case a.text == "--help" && c.name != "help":
			s.risk(Medium, "opens the manual in another program")
		case c.name == "grep" && isFlag(a.text, "-O"), c.name == "log" && a.text == "--format" && i+1 < len(c.args) && gitSigns.Get().MatchString(c.args[i+1].text):
			s.risk(High, "has git run a helper program")
		case strings.HasPrefix(a.text, "ext::"), strings.HasPrefix(a.text, "fd::"):
			s.risk(High, "has git run a program as a transport")
			s.maybeCode(strings.TrimPrefix(a.text, "ext::"))
		case (c.name == "clone" || c.name == "submodule") && (a.text == "-c" || isFlag(a.text, "--config")), c.name == "clone" && (a.text == "-u"), a.text == "-x" && (c.name == "rebase" || c.name == "difftool"):
			s.risk(High, "has git run a helper program")
		case isFlag(a.text, "--open-files"), isFlag(a.text, "--output") && strings.HasPrefix(a.text, "--out"):
			s.risk(Medium, "writes a file")
		}
	}
	for _, w := range c.values("--output", "--output-directory") {
		s.writes(w)
	}
	for _, v := range c.values("--exec", "-x", "--upload-pack", "--extcmd", "--receive-pack") {
		s.maybeCode(v.text)
	}
	if _, read := gitTable.Get()[c.name]; read || c.name == "archive" || c.name == "apply" || c.name == "add" {
		for _, w := range c.operands() {
			if !s.inRepo(strings.ReplaceAll(w.path, unknown, "")) {
				if _, after, ok := strings.Cut(w.path, ":"); ok {
					w.path = after
				}
				s.reads(w)
			}
		}
	}
}

func (c *command) gitCommand() {
	s := c.s
	ops := c.operands()
	first := c.first()
	switch c.name {
	case "push", "send-pack":
		c.gitPush(ops)
	case "reset":
		if c.has("--hard", "--merge", "--keep") {
			s.risk(High, "discards uncommitted work")
		}
		s.risk(Medium, "moves the branch or the index")
	case "clean":
		if c.has("-n", "--dry-run") {
			s.risk(Medium, "lists what it would delete")
			return
		}
		s.risk(High, "deletes files git does not know")
	case "checkout":
		s.risk(Medium, "switches, or discards changes of files")
		paths := slices.ContainsFunc(c.args, func(w word) bool { return w.text == "--" })
		switch {
		case c.has("-f", "--force", "--ours", "--theirs", "-p") || paths || first == "." || len(ops) > 1 && !c.has("-b", "-B", "--track", "--orphan") || c.has("--pathspec-from-file"):
			s.risk(High, "discards uncommitted changes")
		case c.has("-B"):
			s.risk(Medium, "moves a branch")
		}
	case "switch":
		s.risk(Medium, "switches to another branch")
		if c.has("-f", "--force", "--discard-changes") {
			s.risk(High, "discards uncommitted changes")
		}
	case "restore":
		if !c.has("--staged", "-S") || c.has("--worktree", "-W") {
			s.risk(High, "discards uncommitted changes")
		}
	case "stash":
		switch first {
		case "drop", "clear":
			s.risk(High, "drops saved work")
		case "list", "show":
		default:
			s.risk(Medium, "moves changes away or back")
		}
	case "branch", "tag":
		if c.has("-d", "-D", "--delete", "-m", "-M", "--move", "-f", "--force", "-c", "-C") {
			s.risk(Medium, "removes or moves a name")
		}
		if c.has("--edit-description", "-u", "--set-upstream-to", "--unset-upstream", "-s", "-e", "--sign") {
			s.risk(Medium, "changes the configuration or opens an editor")
		}
		if strings.Contains(strings.Join(texts(c.args), " "), "signature") {
			s.risk(High, "has git run gpg")
		}
	case "reflog":
		if first == "expire" || first == "delete" || first == "drop" {
			s.risk(Critical, "removes the way back to lost commits")
		}
	case "filter-branch", "filter-repo":
		s.risk(Critical, "rewrites all history")
	case "update-ref", "symbolic-ref", "replace", "pack-refs", "update-index", "read-tree", "checkout-index", "fast-import", "unpack-objects":
		s.risk(Medium, "changes what git has at its lowest level")
		if c.has("-d", "--delete", "--stdin", "-u", "--reset", "-f", "--force") {
			s.risk(High, "removes a name, or files")
		}
	case "prune", "repack", "gc", "maintenance", "fsck":
		s.risk(Medium, "tidies up objects")
		if c.name == "prune" || c.has("--prune") && strings.Contains(strings.Join(texts(c.args), " "), "now") || c.has("--aggressive") && c.has("--prune") {
			s.risk(High, "removes what only the reflog knows")
		}
		if c.name == "maintenance" && (first == "start" || first == "register") {
			s.risk(Critical, "has git run in the background from now on")
		}
	case "rm":
		s.risk(Medium, "removes a file")
		if c.has("-r", "-f", "--force") && !c.has("--cached", "--dry-run", "-n") {
			s.risk(High, "removes files and changes in them")
		}
	case "bisect":
		s.risk(Medium, "switches between commits")
		if first == "run" {
			s.risk(High, "runs a program on each commit")
			s.run(ops[1:], feed{}, false)
		}
	case "submodule":
		s.risk(Medium, "fetches or changes submodules")
		if first == "foreach" {
			s.risk(High, "runs a command in each submodule")
			for _, w := range ops[1:] {
				s.read(w.text)
			}
		}
		if first == "deinit" && c.has("-f", "--force", "--all") {
			s.risk(High, "discards uncommitted changes")
		}
	case "worktree":
		if first != "list" {
			s.risk(Medium, "makes or removes a second working tree")
		}
		if first == "remove" && c.has("-f", "--force") {
			s.risk(High, "discards uncommitted changes")
		}
	case "config":
		c.gitConfig(ops)
	case "remote":
		if first != "" && first != "show" && first != "get-url" {
			s.risk(Medium, "changes which other repositories there are")
			if (first == "add" || first == "set-url") && len(ops) > 1 {
				s.remotes = append(s.remotes, ops[1].text)
			}
		} else if first == "show" {
			s.risk(Medium, "asks another machine")
		}
	case "fetch", "pull", "clone", "ls-remote", "fetch-pack", "http-fetch":
		s.net = true
		s.risk(Medium, "fetches over the network")
		if slices.ContainsFunc(c.args, func(w word) bool { return w.subst }) {
			s.send = true
			s.risk(High, "sends what a command prints")
		}
		if c.name == "pull" && c.has("--force", "-f") || c.name == "fetch" && (c.has("--force", "-f") || slices.ContainsFunc(ops, func(w word) bool { return strings.HasPrefix(w.text, "+") })) {
			s.risk(Medium, "overwrites local names")
		}
		if c.name == "clone" && len(ops) > 0 {
			dir := literal(strings.TrimSuffix(ops[0].text[strings.LastIndexAny(strings.TrimRight(ops[0].text, "/"), "/:")+1:], ".git"))
			if len(ops) > 1 {
				dir = ops[1]
				s.writes(dir)
			}
			if strings.Contains(ops[0].text, ":") {
				s.cloned = append(s.cloned, s.places(strings.TrimRight(dir.path, "/"), false)...)
			}
		}
	case "rebase", "merge", "cherry-pick", "revert", "am", "commit", "apply", "commit-tree", "merge-file", "rerere", "quiltimport", "subtree", "lfs", "flow", "svn", "p4", "cvsimport", "bundle-uri", "sparse-checkout", "backfill":
		s.risk(Medium, "changes commits or files; hooks run")
		if c.name == "subtree" && first == "push" || c.name == "lfs" && first == "push" || c.name == "svn" && first == "dcommit" || c.name == "p4" && first == "submit" {
			s.send = true
			s.risk(High, "publishes")
		}
		if c.name == "rebase" && c.has("--exec", "-x") {
			s.risk(High, "runs a command on each commit")
		}
		if c.name == "apply" && c.has("--unsafe-paths") {
			s.risk(High, "may write outside the repository")
		}
	case "send-email", "imap-send", "request-pull", "daemon", "instaweb", "http-backend", "upload-pack", "receive-pack", "upload-archive", "shell", "serve":
		s.send = true
		s.risk(High, "sends or serves what is in the repository")
	case "difftool", "mergetool", "gui", "citool", "web--browse", "hook", "filter-process", "credential", "credential-store", "credential-cache", "verify-commit", "verify-tag":
		s.risk(High, "has git run a helper program or hand out a secret")
	case "archive":
		if c.has("--remote") {
			s.risk(High, "has another side run a program")
		}
		for _, w := range c.values("-o") {
			s.writes(w)
		}
	case "init":
		for _, w := range ops {
			s.writes(w)
		}
		if c.has("--template") {
			s.risk(Critical, "puts hooks into the repository, by which later git commands run programs")
		}
		if c.has("--separate-git-dir") {
			s.risk(High, "puts the repository elsewhere")
		}
	case "help":
		if !c.has("-a", "--all", "-g", "--guides") {
			s.risk(Medium, "opens the manual in another program")
		}
		if c.has("-w", "--web") {
			s.risk(High, "opens something with another program")
		}
	case "add", "stage", "mv", "notes", "format-patch", "bundle", "hash-object", "mktree", "write-tree", "mktag", "stripspace", "interpret-trailers", "column", "bugreport", "whatchanged", "var", "write-commit-graph", "commit-graph", "multi-pack-index", "verify-pack", "count", "unpack-file", "index-pack", "pack-objects":
		if c.name == "add" && c.has("-f", "-p", "-i", "-e") || c.name == "mv" && c.has("-f") || c.name == "notes" && (first == "remove" || first == "prune") {
			s.risk(Medium, "changes the index")
		}
		for _, w := range c.values("-o") {
			s.writes(w)
		}
		switch c.name {
		case "hash-object", "mktree", "mktag", "write-tree", "pack-objects", "index-pack", "multi-pack-index", "commit-graph", "write-commit-graph", "unpack-file":
			s.risk(Medium, "changes what git has at its lowest level")
		}
		if c.name == "hash-object" {
			c.readsAll()
		}
	default:
		if _, read := gitTable.Get()[c.name]; !read {
			s.risk(Medium, "is a git command forge does not know, or an alias")
			c.anywhere()
			return
		}
		if s.a.Level == Low {
			s.risk(Medium, "has a flag or an argument forge does not vouch for")
		}
	}
}

func (c *command) gitPush(ops []word) {
	s := c.s
	s.send = true
	s.risk(High, "publishes commits")
	for _, a := range c.args {
		t := a.text
		name, _, _ := strings.Cut(t, "=")
		switch {
		case isFlag(t, "--force-with-lease") && len(name) > len("--force-") || name == "--force-if-includes":
			s.risk(High, "overwrites a remote branch if nobody else did")
		case isFlag(t, "--force"), isFlag(t, "-f"), isFlag(t, "--mirror"), isFlag(t, "--prune"), isFlag(t, "--delete"), isFlag(t, "-d"):
			s.risk(Critical, "overwrites or deletes remote branches")
		}
	}
	for i, w := range ops {
		if i == 0 && slices.Contains(s.remotes, w.text) {
			s.risk(Critical, "publishes to a place that is none of the repository's remotes")
		}
		if strings.HasPrefix(w.text, "+") || strings.HasPrefix(w.text, ":") && len(w.text) > 1 {
			s.risk(Critical, "overwrites or deletes remote branches")
		}
		if i == 0 && (strings.Contains(w.text, "://") || strings.Contains(w.text, "@") || strings.Contains(w.text, ":") || strings.ContainsAny(w.text, "/~")) {
			s.risk(Critical, "publishes to a place that is none of the repository's remotes")
		}
	}
	for _, w := range c.values("--repo") {
		if strings.ContainsAny(w.text, ":/") {
			s.risk(Critical, "publishes to a place that is none of the repository's remotes")
		}
	}
}

func (c *command) gitConfig(ops []word) {
	s := c.s
	global := c.has("--global", "--system")
	edits := c.has("--add", "--unset", "--unset-all", "--replace-all", "--rename-section", "--remove-section", "--edit", "-e")
	verb := ""
	if len(ops) > 0 && slices.Contains([]string{"set", "unset", "get", "list", "edit", "rename-section", "remove-section"}, ops[0].text) {
		verb, ops = ops[0].text, ops[1:]
	}
	if c.has("--get", "--get-all", "--get-regexp", "--get-urlmatch", "--list", "-l", "--get-color") || verb == "get" || verb == "list" || !edits && verb == "" && len(ops) < 2 {
		s.risk(Medium, "prints the configuration, which may hold secrets")
		return
	}
	key := ""
	if len(ops) > 0 {
		key = ops[0].text
	}
	for _, w := range c.values("-f", "--file") {
		s.writes(w)
	}
	switch {
	case key == "":
		s.risk(Critical, "changes settings of git, by which later git commands may run programs")
	case !quietKey(key) || len(ops) > 1 && strings.HasPrefix(ops[1].text, "!"):
		s.risk(Critical, "sets "+key+", by which later git commands may run programs")
	case global:
		s.risk(High, "changes the configuration of all repositories")
	default:
		s.risk(Medium, "changes the repository's configuration")
	}
}
