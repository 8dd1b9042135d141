package sandbox

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"forge/plainfile"
)

// secrets are files and folders that hold nothing but keys and passwords, or what
// opens doors to other programs. Files that hold settings and may hold a token
// beside them (.npmrc, .gitconfig, pip.conf) are not among them: programs do not
// work as expected without their settings.
func secrets(home string) []string {
	out := []string{"/etc/shadow", "/etc/gshadow", "/etc/shadow-", "/etc/gshadow-", "/run/secrets", "/run/credentials", "/run/user", "/var/run/secrets"}
	if home == "" {
		return out
	}
	for _, name := range []string{
		".ssh", ".gnupg", ".aws", ".azure", ".kube", ".password-store", ".netrc", "_netrc", ".git-credentials", ".pypirc", ".vault-token", ".pgpass", ".my.cnf",
		".config/gh", ".config/glab-cli", ".config/hub", ".config/gcloud", ".config/git/credentials", ".config/op", ".config/sops", ".config/rclone",
		".docker/config.json", ".config/containers/auth.json", ".cargo/credentials", ".cargo/credentials.toml", ".gem/credentials",
		".terraform.d/credentials.tfrc.json", ".config/doctl", ".config/heroku", ".config/hcloud", ".fly", ".oci",
		".local/share/keyrings", ".local/share/kwalletd", "Library/Keychains",
		".mozilla", ".thunderbird", ".config/google-chrome", ".config/chromium", ".config/BraveSoftware", ".config/microsoft-edge",
		".bash_history", ".zsh_history", ".local/share/fish/fish_history", ".python_history", ".psql_history", ".node_repl_history",
		".claude", ".codex", ".config/github-copilot", ".gemini", ".config/crush", ".local/share/crush", ".local/share/opencode",
	} {
		out = append(out, filepath.Join(home, filepath.FromSlash(name)))
	}
	return out
}

// redirected are caches that are kept beneath forge's own: what a confined
// command puts into one is never used outside. Go's is not among them: it holds
// the compiled standard library, and the first build of every project would take
// minutes without it.
var redirected = []struct{ name, dir string }{
	{"GOLANGCI_LINT_CACHE", "golangci-lint"}, {"STATICCHECK_CACHE", "staticcheck"},
	{"npm_config_cache", "npm"}, {"PIP_CACHE_DIR", "pip"}, {"UV_CACHE_DIR", "uv"},
}

// environ is what a confined command finds in its environment.
func (p *Policy) environ() []string {
	env := []string{"TMPDIR=" + p.temp}
	for _, r := range redirected {
		env = append(env, r.name+"="+filepath.Join(p.caches, r.dir))
	}
	return env
}

// downloads are the folders package managers unpack into. They can be read at any
// time; a command may write to them only while the network is open, since what
// lies there is built by the person's own next build.
func (p *Policy) downloads() []string {
	out := []string{goModules(p.home)}
	cargo := os.Getenv("CARGO_HOME")
	if cargo == "" && p.home != "" {
		cargo = filepath.Join(p.home, ".cargo")
	}
	if cargo != "" {
		out = append(out, filepath.Join(cargo, "registry"), filepath.Join(cargo, "git"))
	}
	there := out[:0]
	for _, dir := range out {
		if fi, err := os.Stat(dir); err == nil && fi.IsDir() {
			there = append(there, resolved(dir))
		}
	}
	return there
}

// goCache is where Go keeps what it built; empty: nowhere.
func goCache() string {
	dir := goSetting("GOCACHE")
	if dir == "" {
		base, err := os.UserCacheDir()
		if err != nil {
			return ""
		}
		dir = filepath.Join(base, "go-build")
	}
	if !filepath.IsAbs(dir) || os.MkdirAll(dir, 0o755) != nil { // "off" is a value of it
		return ""
	}
	return resolved(dir)
}

// goSetting is a setting of Go: from the environment, else from the file that
// go env -w writes.
func goSetting(name string) string {
	if v := os.Getenv(name); v != "" {
		return v
	}
	set := map[string]string{}
	if dir, err := os.UserConfigDir(); err == nil {
		text, _ := os.ReadFile(filepath.Join(dir, "go", "env"))
		for line := range strings.Lines(string(text)) {
			if key, value, ok := strings.Cut(strings.TrimSpace(line), "="); ok {
				set[key] = value
			}
		}
	}
	return set[name]
}

// goModules is where Go keeps downloaded modules.
func goModules(home string) string {
	if dir := goSetting("GOMODCACHE"); dir != "" {
		return dir
	}
	path := filepath.SplitList(goSetting("GOPATH"))
	if len(path) == 0 || path[0] == "" {
		return filepath.Join(home, "go", "pkg", "mod")
	}
	return filepath.Join(path[0], "pkg", "mod")
}

// gitFolders are the parts of a repository that lie outside a root which is a
// work tree of it (git worktree add): a commit writes there. What names them is a
// file of the workspace, so it counts only if the repository names the work tree
// as well, and then without hooks and settings.
func gitFolders(roots []string) []string {
	var out []string
	for _, root := range roots {
		dir, ok := strings.CutPrefix(noteOf(filepath.Join(root, ".git")), "gitdir: ") // a folder in most
		if !ok || !filepath.IsAbs(dir) {
			continue
		}
		dir = resolved(dir)
		back := noteOf(filepath.Join(dir, "gitdir"))
		if back == "" || resolved(back) != filepath.Join(root, ".git") || filepath.Base(filepath.Dir(dir)) != "worktrees" {
			continue
		}
		if slices.ContainsFunc(roots, func(r string) bool { return beneath(r, dir) }) {
			continue // writable already, and not to be trusted
		}
		common := filepath.Dir(filepath.Dir(dir))
		for _, d := range []string{dir, filepath.Join(common, "objects"), filepath.Join(common, "refs"), filepath.Join(common, "logs")} {
			if fi, err := os.Lstat(d); err == nil && fi.IsDir() {
				out = append(out, d)
			}
		}
	}
	return out
}

// noteOf is what a small file of git's says; empty where there is none.
func noteOf(path string) string {
	text, _, err := plainfile.Read(path, 16<<10)
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(text))
}
