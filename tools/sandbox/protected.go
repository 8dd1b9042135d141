package sandbox

import (
	"path"
	"slices"
	"strings"
	"unicode"
)

// Folders whose whole content steers programs: version control and what it runs,
// forge's own settings, editors that run tasks, agents, keys, continuous integration,
// the settings of a home.
var protectedDirs = []string{
	".git", "git~1", ".hg", ".jj", ".svn", ".forge", ".vscode", ".idea", ".zed", ".fleet", ".cursor", ".windsurf", ".claude", ".codex", ".gemini",
	".opencode", ".crush", ".goose", ".roo", ".kiro", ".devcontainer", ".husky", ".ssh", ".gnupg", ".aws", ".cargo", ".mvn", ".circleci", ".buildkite",
	".woodpecker", ".direnv", ".vim", ".emacs.d",
}

// Folders that are such in a home, where they lie two deep.
var protectedPairs = []string{
	".github/workflows", ".github/actions", ".config/fish", ".config/git", ".config/nvim", ".config/autostart", ".config/systemd", ".config/environment.d",
	".config/forge", ".config/zsh", ".config/direnv", ".config/mise", ".local/bin",
}

// Files that a program reads and obeys when it starts in their folder, or when a
// shell or a session does.
var protectedFiles = []string{
	".mcp.json", ".envrc", ".gitmodules", ".gitattributes", ".gitconfig", ".hgrc", "head", "commondir",
	".bashrc", ".bash_profile", ".bash_login", ".bash_logout", ".bash_aliases", ".profile", ".zshrc", ".zshenv", ".zprofile",
	".zlogin", ".zlogout", ".zimrc", ".kshrc", ".cshrc", ".tcshrc", ".login", ".inputrc", ".pam_environment", ".xinitrc", ".xsession", ".xprofile", ".xsessionrc",
	".vimrc", ".nvimrc", ".exrc", ".nvim.lua", ".emacs", ".dir-locals.el", ".gdbinit", ".lldbinit", ".pdbrc", ".irbrc", ".pryrc", ".rprofile", ".ghci",
	".tmux.conf", ".screenrc",
	".npmrc", ".yarnrc", ".yarnrc.yml", ".pnpmfile.cjs", "bunfig.toml", ".pypirc", "pip.conf", ".condarc", ".netrc", ".curlrc", ".wgetrc", ".bazelrc", ".sbtopts", ".jvmopts",
	"rust-toolchain", "rust-toolchain.toml", ".ripgreprc", ".tool-versions", ".mise.toml", "mise.toml", ".pre-commit-config.yaml",
	".gitlab-ci.yml", ".travis.yml", ".drone.yml", ".woodpecker.yml", "azure-pipelines.yml", "bitbucket-pipelines.yml", "appveyor.yml", ".appveyor.yml", "jenkinsfile", "lefthook.yml",
	"opencode.json", "crush.json", ".crush.json", ".aider.conf.yml",
}

// Protected reports whether changing rel, a slash-separated path below a
// workspace folder, needs an approval of its own each time, which no session
// grant covers: it would make some program run or obey something. rel is judged
// as it is written: resolve links first. Neither case nor what some file systems
// leave out of a name matters.
func Protected(rel string) bool {
	parts := components(path.Clean(rel))
	for i, part := range parts {
		parts[i] = folded(part)
		if slices.Contains(protectedDirs, parts[i]) || i > 0 && slices.Contains(protectedPairs, parts[i-1]+"/"+parts[i]) {
			return true
		}
	}
	n := len(parts)
	return n > 0 && (slices.Contains(protectedFiles, parts[n-1]) || parts[n-1] == ".github")
}

// folded is a name as the most forgiving file system takes it: in lower case, with
// letters that fold to one another alike (ſ is s on macOS), without what Windows cuts
// off, a stream behind a colon, dots and blanks at the end.
func folded(name string) string {
	if i := strings.IndexByte(name, ':'); i > 0 {
		name = name[:i]
	}
	return strings.TrimRight(strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Cf, r) || unicode.Is(unicode.Variation_Selector, r) {
			return -1
		}
		least := r
		for f := unicode.SimpleFold(r); f != r; f = unicode.SimpleFold(f) {
			least = min(least, f)
		}
		return unicode.ToLower(least)
	}, name), ". ")
}
