package sandbox

import (
	"path"
	"slices"
	"strings"
)

// Folders whose whole content steers programs: git and what it runs, forge's own
// settings, editors that run tasks, agents, keys, continuous integration.
var protectedDirs = []string{
	".git", "git~1", ".forge", ".vscode", ".idea", ".cursor", ".claude", ".codex", ".devcontainer", ".husky",
	".ssh", ".gnupg", ".aws", ".cargo", ".circleci", ".direnv",
}

// Files that a program reads and obeys when it starts in their folder, or when a
// shell does.
var protectedFiles = []string{
	".mcp.json", ".envrc", ".gitmodules", ".gitattributes", ".gitconfig", "head", "commondir",
	".bashrc", ".bash_profile", ".bash_login", ".bash_logout", ".bash_aliases", ".profile", ".zshrc", ".zshenv", ".zprofile",
	".zlogin", ".zlogout", ".kshrc", ".cshrc", ".tcshrc", ".login", ".inputrc", ".vimrc", ".exrc", ".gdbinit", ".lldbinit",
	".npmrc", ".yarnrc", ".yarnrc.yml", ".pnpmfile.cjs", "bunfig.toml", ".pypirc", "pip.conf", ".netrc", ".curlrc", ".wgetrc",
	"rust-toolchain", "rust-toolchain.toml", ".ripgreprc", ".tool-versions", ".mise.toml", "mise.toml", ".pre-commit-config.yaml",
	".gitlab-ci.yml", "jenkinsfile", "lefthook.yml",
}

// Protected reports whether changing rel, a slash-separated path below a
// workspace folder, needs an approval of its own each time, which no session
// grant covers: it would make some program run or obey something. rel is judged
// as it is written: resolve links first. Case does not matter, since some file
// systems do not look at it.
func Protected(rel string) bool {
	parts := components(strings.ToLower(path.Clean(rel)))
	for i, part := range parts {
		part = strings.TrimRight(part, ". ") // Windows leaves these out
		if slices.Contains(protectedDirs, part) || part == ".github" && (i+1 == len(parts) || slices.Contains([]string{"workflows", "actions"}, parts[i+1])) {
			return true
		}
	}
	return len(parts) > 0 && slices.Contains(protectedFiles, parts[len(parts)-1])
}
