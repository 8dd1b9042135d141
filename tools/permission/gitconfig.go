package permission

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"time"
)

// gitConfigs knows of which repositories a read by git runs nothing but git. It
// asks git itself for the configuration, in an environment that keeps git from
// running anything, and asks again when a file that matters has changed. Its
// method may be called from any goroutine.
type gitConfigs struct {
	mu   sync.Mutex
	seen map[string]gitSeen
}

type gitSeen struct {
	stamp string
	why   string
}

// unsafe gives the reason why git may not run unasked in a directory, or "".
func (g *gitConfigs) unsafe(dir string) string {
	g.mu.Lock()
	defer g.mu.Unlock()
	stamp := gitStamp(dir)
	if s, ok := g.seen[dir]; ok && s.stamp == stamp {
		return s.why
	}
	if g.seen == nil || len(g.seen) > 200 {
		g.seen = map[string]gitSeen{}
	}
	s := gitSeen{stamp, gitUnsafe(dir)}
	g.seen[dir] = s
	return s.why
}

// gitDir finds the .git that git would find from dir. bare: git would take a
// directory that is itself a repository, which a checkout can contain.
func gitDir(dir string) (found string, bare bool) {
	for at := dir; ; at = filepath.Dir(at) {
		if _, err := os.Lstat(filepath.Join(at, ".git")); err == nil {
			return filepath.Join(at, ".git"), false
		}
		if exists(filepath.Join(at, "HEAD")) && exists(filepath.Join(at, "objects")) && exists(filepath.Join(at, "refs")) {
			return at, true
		}
		if at == filepath.Dir(at) {
			return "", false
		}
	}
}

func exists(p string) bool { _, err := os.Stat(p); return err == nil }

// gitStamp changes when something that gitUnsafe looks at does.
func gitStamp(dir string) string {
	found, _ := gitDir(dir)
	var b strings.Builder
	b.WriteString(found)
	for _, f := range []string{"", "config", "config.worktree", "index", "hooks", "modules", "commondir", "HEAD", "../.gitmodules"} {
		if fi, err := os.Stat(filepath.Join(found, f)); err == nil {
			fmt.Fprintf(&b, "|%s %d %d", f, fi.ModTime().UnixNano(), fi.Size())
		}
	}
	return b.String()
}

// unread is the reason where nothing bad was found, but not all was seen either.
const unread = "git cannot read its configuration or index here"

func gitUnsafe(dir string) string {
	found, bare := gitDir(dir)
	if bare {
		return "the directory is itself a repository"
	}
	if found == "" {
		return "" // git says so and ends
	}
	out, err := git(dir, "config", "--list", "--includes", "--show-scope", "-z")
	if err != nil {
		return unread
	}
	if why := gitKeys(out, false); why != "" {
		return why
	}
	if exists(filepath.Join(found, "hooks", "post-index-change")) {
		return "a hook runs when git looks at the files"
	}
	return gitModules(dir, found)
}

// gitModules looks at the repositories inside this one, which its status command enters.
func gitModules(dir, found string) string {
	index, err := os.ReadFile(filepath.Join(found, "index"))
	if fi, e := os.Stat(found); e == nil && !fi.IsDir() {
		if out, e := git(dir, "rev-parse", "--git-path", "index"); e == nil {
			index, err = os.ReadFile(filepath.Join(dir, strings.TrimSpace(string(out))))
		}
	}
	if err != nil && !os.IsNotExist(err) {
		return unread
	}
	// The mode of a repository within a repository, and the mark of a shared index.
	if !bytes.Contains(index, []byte{0, 0, 0xe0, 0}) && !bytes.Contains(index, []byte("link")) {
		return ""
	}
	top := filepath.Dir(found)
	out, err := git(top, "ls-files", "-s", "-z")
	if err != nil {
		return unread
	}
	for line := range bytes.SplitSeq(out, []byte{0}) {
		if !bytes.HasPrefix(line, []byte("160000 ")) {
			continue
		}
		_, name, _ := bytes.Cut(line, []byte("\t"))
		sub := filepath.Join(top, string(name))
		if !exists(filepath.Join(sub, ".git")) {
			continue
		}
		out, err := git(sub, "config", "--list", "--includes", "--show-scope", "-z")
		if err != nil {
			return unread
		}
		if why := gitKeys(out, true); why != "" {
			return "in " + string(name) + ", " + why
		}
	}
	return ""
}

// gitKeys goes through the keys of the repository's own scopes.
func gitKeys(out []byte, module bool) string {
	fields := bytes.Split(out, []byte{0})
	for i := 0; i+1 < len(fields); i += 2 {
		scope := string(fields[i])
		if scope != "local" && scope != "worktree" {
			continue
		}
		key, value, _ := strings.Cut(string(fields[i+1]), "\n")
		if key == "core.worktree" && module {
			continue
		}
		if !safeSetting(key, value) {
			return "the repository sets " + key
		}
	}
	return ""
}

// git runs git so that it runs nothing else, and gives up after two seconds.
func git(dir string, args ...string) ([]byte, error) {
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
	defer cancel()
	c := exec.CommandContext(ctx, "git", args...)
	c.Dir = dir
	c.WaitDelay = time.Second
	for _, kv := range os.Environ() {
		if !strings.HasPrefix(kv, "GIT_") {
			c.Env = append(c.Env, kv)
		}
	}
	c.Env = append(c.Env, GitEnv()...)
	return c.Output()
}

// GitEnv are the variables under which git reads a repository without running
// its fsmonitor, hooks or pager. They do not stop diff drivers and filters, which
// is why the configuration is looked at as well.
func GitEnv() []string {
	set := [][2]string{{"core.fsmonitor", "false"}, {"core.hooksPath", os.DevNull}, {"safe.bareRepository", "explicit"}, {"protocol.ext.allow", "never"}, {"log.showSignature", "false"}}
	env := []string{"GIT_PAGER=cat", "GIT_OPTIONAL_LOCKS=0", "GIT_TERMINAL_PROMPT=0", "GIT_EDITOR=false", fmt.Sprintf("GIT_CONFIG_COUNT=%d", len(set))}
	for i, kv := range set {
		env = append(env, fmt.Sprintf("GIT_CONFIG_KEY_%d=%s", i, kv[0]), fmt.Sprintf("GIT_CONFIG_VALUE_%d=%s", i, kv[1]))
	}
	return env
}

// quietSections are configuration that git runs nothing for when it reads. What
// is not named here or below makes git a question.
var quietSections = set("advice", "branch", "color", "column", "commit", "fetch", "push", "pull", "user", "author", "committer", "init", "rerere", "rebase", "gc", "pack", "index", "feature",
	"transfer", "receive", "status", "tag", "stash", "checkout", "clone", "worktree", "versionsort", "i18n", "apply", "blame", "grep", "help", "notes", "submodule", "lfs", "http", "url", "gui", "gitflow", "remote", "log", "merge", "diff", "core", "extensions", "format", "pretty", "github", "gh", "hub", "am", "revert", "fsck", "repack", "maintenance", "safe")

// safeSetting reports whether a key of a repository's configuration, in lower
// case but for its middle, leaves git's reads to git.
func safeSetting(key, value string) bool {
	key = strings.ToLower(key)
	if !quietKey(key) {
		off := value == "false" || value == "no" || value == "off" || value == "0"
		return key == "core.fsmonitor" && off || key == "log.showsignature" && off || strings.HasPrefix(key, "url.") // only fetching looks at it
	}
	if strings.HasPrefix(key, "format.") || strings.HasPrefix(key, "pretty.") || strings.HasPrefix(key, "log.") {
		return !gitSigns().MatchString(value)
	}
	return true
}

// quietKey reports whether no value of a key makes git run something or go
// elsewhere.
func quietKey(key string) bool {
	key = strings.ToLower(key)
	section, rest, ok := strings.Cut(key, ".")
	if !ok || !quietSections[section] {
		return false
	}
	last := rest[strings.LastIndex(rest, ".")+1:]
	deep := strings.Contains(rest, ".")
	switch section {
	case "core":
		switch last {
		case "repositoryformatversion", "filemode", "bare", "logallrefupdates", "ignorecase", "precomposeunicode", "symlinks", "autocrlf", "eol", "safecrlf", "abbrev", "quotepath", "untrackedcache", "splitindex",
			"preloadindex", "commentchar", "whitespace", "compression", "bigfilethreshold", "checkstat", "trustctime", "longpaths", "multipackindex", "commitgraph", "sparsecheckout", "sparsecheckoutcone", "protectntfs", "protecthfs",
			"packedgitlimit", "packedgitwindowsize", "deltabasecachelimit", "loosecompression", "createobject", "fsync", "fscache", "hidedotfiles", "sharedrepository", "warnambiguousrefs", "checkroundtripencoding", "disambiguate":
			return !deep
		}
		return false
	case "diff":
		return !deep && last != "external" && last != "tool" && last != "guitool" && last != "orderfile"
	case "merge":
		return !deep && last != "tool" && last != "guitool"
	case "log":
		return last != "showsignature" && last != "mailmap"
	case "remote":
		return last == "url" || last == "pushurl" || last == "fetch" || last == "push" || last == "tagopt" || last == "prune" || last == "mirror" || last == "gh-resolved" || last == "pushdefault" || last == "skipfetchall" || last == "skipdefaultupdate"
	case "extensions":
		return last == "objectformat" || last == "worktreeconfig" || last == "refstorage" || last == "compatobjectformat" || last == "noop" || last == "relativeworktrees"
	case "submodule":
		return last != "update"
	case "url":
		return false
	case "http":
		return last != "proxy" && last != "sslverify" && last != "cookiefile" && last != "extraheader" && last != "sslcainfo" && last != "sslcert" && last != "sslkey"
	case "gui", "safe", "maintenance":
		return false
	case "init":
		return last != "templatedir"
	case "user":
		return last == "name" || last == "email" || last == "signingkey" || last == "useconfigonly"
	case "lfs":
		return last == "repositoryformatversion" || last == "access" || last == "locksverify" || last == "url"
	case "grep", "apply", "blame", "status", "branch", "color", "push", "pull", "commit", "tag":
		return last != "template" && last != "gpgprogram"
	}
	return true
}
