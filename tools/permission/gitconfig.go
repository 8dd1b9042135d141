package permission

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"forge/lazy"
	"forge/programs"
	"forge/tools/sandbox"
)

// gitConfigs knows of which repositories a read by git runs nothing but git. It
// asks git itself for the configuration, in an environment that keeps git from
// running anything, and asks again when a file that matters has changed. Its
// method may be called from any goroutine.
type gitConfigs struct {
	roots func() []string // of the workspace: no git in one of them is asked; nil: none

	mu   sync.Mutex
	seen map[string]gitSeen
}

// gitSeen is what was found out about a directory. It holds as long as stamp does, which
// is about the directory and the repositories within.
type gitSeen struct {
	stamp  string
	why    string
	within []string
}

// unsafe gives the reason why git may not run unasked in a directory, or "".
func (g *gitConfigs) unsafe(dir string) string {
	g.mu.Lock()
	defer g.mu.Unlock()
	if s, ok := g.seen[dir]; ok && s.stamp == gitStamp(dir, s.within) {
		return s.why
	}
	if g.seen == nil || len(g.seen) > 200 {
		g.seen = map[string]gitSeen{}
	}
	before := gitStamp(dir, nil)
	s := gitSeen{}
	var roots []string
	if g.roots != nil {
		roots = g.roots()
	}
	s.why, s.within = gitUnsafe(dir, roots)
	if s.stamp = gitStamp(dir, s.within); strings.HasPrefix(s.stamp, before) { // nothing changed meanwhile
		g.seen[dir] = s
	}
	return s.why
}

// unread is the reason where nothing bad was found, but not all was seen either.
const unread = "git cannot read its configuration or index here"

// gitUnsafe gives that reason, and the repositories within that it has to do with.
func gitUnsafe(dir string, roots []string) (why string, within []string) {
	found, bare := gitDir(dir)
	if bare {
		return "the directory is itself a repository", nil
	}
	if found == "" {
		return "", nil // git says so and ends
	}
	m := gitModules{top: filepath.Dir(found)}
	m.git.not = append(slices.Clone(roots), m.top)
	out, err := m.git.ask(dir, "config", "--list", "--includes", "--show-scope", "-z")
	if err != nil {
		return unread, nil
	}
	if why := gitKeys(out, false); why != "" {
		return why, nil
	}
	if _, common := gitHome(found); exists(filepath.Join(common, "hooks", "post-index-change")) {
		return "a hook runs when git looks at the files", nil
	}
	return m.look(found, 0), m.seen
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

// asking is git, but none that lies in these folders: what commands may write is not to
// say of itself that it is harmless.
type asking struct{ not []string }

// ask runs git so that it runs nothing else, and gives up after two seconds.
func (g asking) ask(dir string, args ...string) ([]byte, error) {
	program, err := programs.Find("git", g.not...)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
	defer cancel()
	c := exec.CommandContext(ctx, program, args...)
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
	set := sandbox.GitQuiet()
	env := append(sandbox.GitQuietEnv(), fmt.Sprintf("GIT_CONFIG_COUNT=%d", len(set)))
	for i, kv := range set {
		env = append(env, fmt.Sprintf("GIT_CONFIG_KEY_%d=%s", i, kv[0]), fmt.Sprintf("GIT_CONFIG_VALUE_%d=%s", i, kv[1]))
	}
	return env
}

// quietSections are configuration that git runs nothing for when it reads. What
// is not named here or below makes git a question.
var quietSections = lazy.Value[map[string]bool]{Of: func() map[string]bool {
	return set("advice", "branch", "color", "column", "commit", "fetch", "push", "pull", "user", "author", "committer", "init", "rerere", "rebase", "gc", "pack", "index", "feature",
		"transfer", "receive", "status", "tag", "stash", "checkout", "clone", "worktree", "versionsort", "i18n", "apply", "blame", "grep", "help", "notes", "submodule", "lfs", "http", "url", "gui", "gitflow", "remote", "log", "merge", "diff", "core", "extensions", "format", "pretty", "github", "gh", "hub", "am", "revert", "fsck", "repack", "maintenance", "safe")
}}

// safeSetting reports whether a key of a repository's configuration, in lower
// case but for its middle, leaves git's reads to git.
func safeSetting(key, value string) bool {
	key = strings.ToLower(key)
	if !quietKey(key) {
		off := value == "false" || value == "no" || value == "off" || value == "0"
		return key == "core.fsmonitor" && off || key == "log.showsignature" && off || strings.HasPrefix(key, "url.") // only fetching looks at it
	}
	if strings.HasPrefix(key, "format.") || strings.HasPrefix(key, "pretty.") || strings.HasPrefix(key, "log.") {
		return !gitSigns.Get().MatchString(value)
	}
	return true
}

// quietKey reports whether no value of a key makes git run something or go
// elsewhere.
func quietKey(key string) bool {
	key = strings.ToLower(key)
	section, rest, ok := strings.Cut(key, ".")
	if !ok || !quietSections.Get()[section] {
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
