package permission

import (
	"maps"
	"slices"

	"forge/lazy"
)

// harmless is every command that may run unasked, by the bare name it is called
// by. The families stand in tables_*.go.
var harmless = lazy.Value[map[string]known]{Of: func() map[string]known {
	return gather(filesTable.Get(), textTable.Get(), systemTable.Get(), toolsTable.Get())
}}

func gather(tables ...map[string]known) map[string]known {
	out := map[string]known{}
	for _, t := range tables {
		maps.Copy(out, t)
	}
	return out
}

// special is for commands whose arguments a known cannot describe. there is
// false for a name it does not have.
func (s *scan) special(name string, args []word) (ok, there bool) {
	switch name {
	case "git":
		return s.gitReads(args), true
	case "go":
		return s.goReads(args), true
	case "find":
		return s.findReads(args), true
	case "sed":
		return s.sedReads(args), true
	case "awk", "gawk", "mawk":
		return s.awkReads(args), true
	case "jq":
		return s.jqReads(args), true
	case "echo":
		return s.echoReads(args), true
	case "printf":
		return s.printfReads(args), true
	case "test", "[":
		return s.testReads(name, args), true
	case "ps":
		return s.psReads(args), true
	case "tar":
		return s.tarReads(args), true
	case "ar":
		return s.arReads(args), true
	case "openssl":
		return s.opensslReads(args), true
	}
	return false, false
}

// versioned are programs that print their version without reading anything of
// the workspace. Those that pick a toolchain by a file in the current directory
// (rustc, cargo, yarn, pnpm) are not among them.
var versioned = []string{
	"git", "python", "python3", "node", "gcc", "g++", "cc", "clang", "clang++", "ld", "make", "cmake", "ninja", "jq", "rg", "fd", "tree", "bash", "curl", "wget",
	"perl", "ruby", "php", "lua", "java", "javac", "sqlite3", "psql", "mysql", "docker", "podman", "tar", "zip", "unzip", "openssl", "ssh", "gpg", "vim", "tmux",
	"protoc", "gdb", "strace", "rsync", "ffmpeg", "pandoc", "dot", "deno", "zig", "nvim",
}

func isVersion(name, arg string) bool {
	_, listed := harmless.Get()[name]
	switch {
	case arg == "--version":
		return listed && !slices.Contains([]string{"echo", "true", "false", ":", "pwd", "type", "command"}, name) || slices.Contains(versioned, name) ||
			slices.Contains([]string{"find", "sed", "awk", "gawk", "ps", "as", "ar", "bun", "zig"}, name)
	case arg == "--help":
		return listed && !slices.Contains([]string{":", "true", "false"}, name) || name == "tar"
	case arg == "-V":
		return name == "python" || name == "python3" || name == "ssh" || name == "rg" || name == "jq" || name == "tmux"
	case arg == "-v":
		return name == "node" || name == "perl" || name == "ruby" || name == "php" || name == "lua"
	case arg == "-version":
		return name == "java" || name == "javac" || name == "ffmpeg"
	}
	return false
}
