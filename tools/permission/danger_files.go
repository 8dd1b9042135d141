package permission

import (
	"slices"
	"strings"
)

// files judges the programs that make, change and remove files. It reports
// whether it knows the program.
func (c *command) files() bool {
	s := c.s
	ops := c.operands()
	switch c.name {
	case "rm", "unlink", "srm", "trash", "gio", "rimraf", "del":
		deep := c.has("-r", "-R", "--recursive") || slices.Contains(texts(c.args), "--r") || c.name == "rimraf"
		for _, w := range ops {
			s.destroys(w, deep)
		}
		if c.has("--no-preserve-root") {
			s.risk(Critical, "may delete / itself")
		}
		if deep {
			s.risk(High, "deletes a directory tree")
		}
		if len(ops) == 0 {
			s.risk(Medium, "deletes files")
		}
	case "rmdir":
		for _, w := range ops {
			s.writes(w)
		}
	case "shred", "wipe":
		s.risk(High, "destroys a file beyond recovery")
		for _, w := range ops {
			if s.destroys(w, false); secretFile(w.path) {
				s.risk(Critical, "destroys a key")
			}
			for _, at := range s.places(w.path, true) {
				if !s.inside(at) {
					s.risk(Critical, "destroys a file beyond recovery, outside the workspace")
				}
			}
		}
	case "mkdir", "touch", "mkfifo", "mktemp", "mknod":
		for _, w := range ops {
			s.writes(w)
		}
		if c.name == "mknod" {
			s.risk(High, "makes a device")
		}
		for _, w := range c.values("-r", "--reference") {
			s.reads(w)
		}
	case "tee", "sponge":
		for _, w := range ops {
			s.risk(Medium, "writes a file")
			s.writes(w)
		}
		c.takesOver(nil, ops)
	case "truncate", "fallocate":
		s.risk(Medium, "changes a file's length")
		for _, w := range ops {
			s.writes(w)
		}
	case "cp", "install", "ln", "mv", "rename", "link":
		c.copies(ops)
	case "chmod", "chown", "chgrp", "chattr", "setfacl", "chflags", "chcon", "xattr":
		c.modes(ops)
	case "find", "fd", "fdfind", "gfind", "bfs":
		c.finds()
	case "dd":
		c.dd()
	case "tar", "gtar", "bsdtar", "unzip", "7z", "7za", "unrar", "cpio", "ar", "zip", "pax", "unar", "jar":
		c.archives(ops)
	case "gzip", "gunzip", "bzip2", "bunzip2", "xz", "unxz", "zstd", "unzstd", "lz4", "compress", "uncompress", "pigz", "lzma", "brotli":
		if !c.has("-c", "--stdout", "--to-stdout", "-l", "-t") {
			s.risk(Medium, "replaces the file")
		}
		for _, w := range ops {
			s.writes(w)
			s.reads(w)
		}
	case "patch":
		s.risk(Medium, "changes the files a patch names")
		for _, w := range c.values("-d", "--directory", "-o", "--output", "-i", "--input") {
			s.writes(w)
		}
		for _, w := range ops[:min(len(ops), 1)] {
			s.writes(w)
		}
	case "split", "csplit":
		s.risk(Medium, "writes files")
		c.readsAll()
		if len(c.values("--filter")) > 0 {
			s.risk(High, "hands the parts to a program")
		}
	default:
		return false
	}
	return true
}

func (c *command) copies(ops []word) {
	s := c.s
	to := c.values("-t", "--target-directory")
	from := ops
	if len(to) == 0 && len(ops) > 1 && !c.has("-d", "--directory") || c.name == "cp" && len(to) == 0 && len(ops) > 1 {
		to, from = ops[len(ops)-1:], ops[:len(ops)-1]
	}
	if c.name == "install" && c.has("-d", "--directory") {
		to, from = ops, nil
	}
	for _, w := range to {
		s.writes(w)
		// A file keeps its name in the directory it is put into.
		for _, o := range from {
			if i := strings.LastIndex(strings.TrimRight(o.path, "/"), "/"); (strings.HasSuffix(w.path, "/") || w.text == "." || strings.HasSuffix(w.path, "/.")) && o.lit {
				s.writes(literal(strings.TrimRight(w.path, "/") + "/" + o.path[i+1:]))
			}
		}
	}
	c.takesOver(from, to)
	for _, w := range from {
		if w.path == "/dev/null" {
			s.risk(Medium, "empties a file")
		}
		switch c.name {
		case "mv":
			s.risk(Medium, "moves a file, perhaps over another")
			c.movesAway(w)
		case "ln", "link":
			c.links(w)
		default:
			s.reads(w)
		}
	}
	if c.name == "cp" && c.has("-f", "--force", "--remove-destination") {
		s.risk(Medium, "may replace a file")
	}
	if c.name == "rename" {
		s.risk(Medium, "renames files")
	}
	if c.name == "install" && len(c.values("-m", "--mode")) > 0 {
		for _, v := range c.values("-m", "--mode") {
			if setsID(v.text) {
				s.risk(Critical, "gives a program the rights of its owner")
			}
		}
	}
	if c.name == "install" && c.has("--strip-program") {
		s.risk(High, "runs a helper program")
	}
	for _, w := range ops {
		if w.glob {
			s.risk(Medium, "takes whatever a pattern matches")
		}
	}
}

// movesAway: what is moved is gone from where it was.
func (c *command) movesAway(w word) {
	s := c.s
	whole := w.path
	if i := strings.LastIndexByte(whole, '/'); w.glob && i > 0 && strings.Trim(whole[i:], "/*.?") == "" { // all that is in a folder
		whole = whole[:i]
	}
	for _, at := range s.places(whole, false) {
		switch {
		case at == "/" || within(at, s.w.home) || system(at) || strings.Contains(at+"/", "/.git/"):
			s.risk(Critical, "moves away a home, the system or the repository")
		case !s.inside(at):
			s.risk(High, "moves away a file outside the workspace")
		}
		for _, r := range s.w.real {
			if within(at, r) {
				s.risk(Critical, "moves away the whole workspace")
			}
		}
	}
	if strings.Contains(w.path, unknown) {
		s.risk(High, "moves what only running it would show")
	}
}

func (c *command) links(w word) {
	s := c.s
	for _, at := range s.places(w.path, true) {
		if !s.inside(at) {
			s.risk(Medium, "makes a link that leaves the workspace")
			if !c.has("-s", "--symbolic") {
				s.risk(High, "gives a file outside a second name inside")
			}
		}
	}
	if c.has("-f", "--force") {
		s.risk(Medium, "replaces what the link's name stood for")
	}
}

func setsID(mode string) bool {
	return len(mode) == 4 && strings.Trim(mode, "01234567") == "" && mode[0] != '0' && mode[0] != '1' || strings.Contains(mode, "+s") || strings.Contains(mode, "=s") ||
		strings.HasPrefix(mode, "u+") && strings.Contains(mode, "s") || strings.HasPrefix(mode, "g+") && strings.Contains(mode, "s")
}

func (c *command) modes(ops []word) {
	s := c.s
	s.risk(Medium, "changes who may use a file")
	deep := c.has("-R", "--recursive")
	for i, w := range ops {
		if i == 0 && c.name != "xattr" && c.name != "setfacl" {
			if c.name == "chmod" && setsID(w.text) {
				s.risk(Critical, "gives a program the rights of its owner")
			}
			if !c.has("--reference") {
				continue
			}
		}
		if w.glob {
			s.risk(Medium, "takes whatever a pattern matches")
		}
		for _, at := range s.places(strings.TrimRight(w.path, "*"), true) {
			l, why := s.target(at)
			switch {
			case strings.Contains(at, unknown):
				s.risk(High, "changes modes where only running it would show")
			case deep && (at == "/" || within(at, s.w.home) || system(at)):
				s.risk(Critical, "changes the modes of the whole system or a home")
			case why != "":
				s.risk(max(l, High), "changes modes of what programs obey or of files outside")
			}
			if s.fetchedFile(w.path) {
				s.risk(High, "makes a program of what it fetched")
			}
		}
	}
	if c.name == "chown" || c.name == "chattr" {
		s.risk(Medium, "changes the owner of a file")
	}
}

func (c *command) dd() {
	s := c.s
	s.risk(Medium, "writes a file block by block")
	var from, to []word
	defer func() { c.takesOver(from, to) }()
	for _, a := range c.args {
		if strings.HasPrefix(a.text, "of=") {
			s.writes(a.after(3))
			to = append(to, a.after(3))
		}
		if strings.HasPrefix(a.text, "if=") {
			from = append(from, a.after(3))
			if w := a.after(3); devices.Get().MatchString(w.path) {
				s.risk(High, "reads a device")
			} else if !strings.HasPrefix(w.path, "/dev/") {
				s.reads(w)
			}
		}
	}
}

func (c *command) archives(ops []word) {
	s := c.s
	if c.has("--to-command", "--checkpoint-action", "--use-compress-program", "--rsh-command", "--info-script", "--new-volume-script", "--rmt-command") ||
		c.tarLetter('I') || c.tarLetter('F') && strings.HasSuffix(c.name, "tar") || c.name == "zip" && c.has("-T", "-TT", "--unzip-command") {
		s.ungrantable = true
		s.risk(High, "runs a helper program")
		for _, v := range c.values("--to-command", "--use-compress-program", "-I", "--checkpoint-action") {
			s.maybeCode(strings.TrimPrefix(v.text, "exec="))
		}
	}
	for _, w := range c.values("-C", "--directory", "-d") {
		if c.name == "unzip" || strings.HasSuffix(c.name, "tar") {
			s.writes(w)
		}
	}
	if (c.tarLetter('P') || c.has("--absolute-names", "--absolute-paths")) && strings.HasSuffix(c.name, "tar") {
		s.risk(High, "may unpack over any path")
	}
	first := ""
	if len(c.args) > 0 {
		first = strings.TrimPrefix(c.args[0].text, "-")
	}
	creates := strings.HasSuffix(c.name, "tar") && strings.Contains(first, "c") && !strings.HasPrefix(first, "-") || c.has("--create")
	if c.name == "zip" || c.name == "7z" && first == "a" {
		creates = true
	}
	if c.has("--remove-files") || c.name == "zip" && c.has("-m") {
		s.risk(High, "removes what it packs")
	}
	lists := strings.HasSuffix(c.name, "tar") && (strings.Contains(first, "t") && strings.Trim(first, "tvzjJf") == "" || c.has("--list")) || c.name == "unzip" && c.has("-l", "-v", "-Z", "-t")
	switch {
	case lists:
		s.risk(Medium, "may start a program to unpack")
	case !creates:
		s.risk(Medium, "unpacks over what is there")
	}
	for i, w := range ops {
		if w.glob {
			s.risk(Medium, "takes whatever a pattern matches, flags too")
		}
		if c.has("--remove-files") {
			s.destroys(w, true)
		}
		if i == 0 && strings.HasSuffix(c.name, "tar") && len(c.args) > 0 && w.text == c.args[0].text {
			continue
		}
		s.reads(w)
	}
	names := c.values("-f", "--file")
	if strings.HasSuffix(c.name, "tar") && len(c.args) > 1 && c.args[0].text != "" && c.args[0].text[0] != '-' && strings.Contains(c.args[0].text, "f") {
		names = append(names, c.args[1])
	}
	if !creates && !lists {
		c.unpacks(append(names, ops...))
	}
	for _, w := range names {
		if creates {
			s.writes(w)
		}
		if strings.Contains(w.text, ":") && !c.has("--force-local") {
			s.send = true
			s.risk(High, "reaches another machine")
		}
	}
}

// tarLetter finds a letter in tar's flags, the first bundle without a dash too.
func (c *command) tarLetter(l byte) bool {
	if len(c.args) == 0 || !strings.HasSuffix(c.name, "tar") {
		return false
	}
	if t := c.args[0].text; t != "" && t[0] != '-' && strings.IndexByte(t, l) >= 0 {
		return true
	}
	return c.has("-" + string(l))
}
