package permission

import (
	"errors"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
)

// reach says where a path leads from a directory: the real path with every link
// followed the way the kernel does, and whether it stays in the workspace. What
// does not exist is taken as written below the last directory that does.
func (w world) reach(dir, name string) (string, bool) {
	if name == "" || strings.Contains(name, unknown) || len(name) > 4096 {
		return "", false
	}
	p := real(dir, name)
	return p, p != "" && slices.ContainsFunc(w.real, func(root string) bool { return within(root, p) })
}

// real follows the links of name from dir; "" where there are too many.
func real(dir, name string) string {
	at, rest := begin(dir, name)
	todo := strings.Split(rest, "/")
	hops := 0
	for len(todo) > 0 {
		part := todo[0]
		todo = todo[1:]
		switch part {
		case "", ".":
			continue
		case "..":
			at = filepath.Dir(at)
			continue
		}
		next := filepath.Join(at, part)
		to, err := os.Readlink(next)
		if err != nil {
			at = next
			continue
		}
		if hops++; hops > 40 {
			return ""
		}
		at, rest = begin(at, to)
		todo = append(strings.Split(rest, "/"), todo...)
	}
	return at
}

// begin is the folder a name that is used in dir begins in, and what follows there. On
// Windows a name with a volume begins at its top, also where it is relative to wherever
// that volume was left, and one that begins with a slash at the top of dir's.
func begin(dir, name string) (at, rest string) {
	volume := filepath.VolumeName(name)
	switch rest = filepath.ToSlash(name[len(volume):]); {
	case volume != "":
		return volume + string(filepath.Separator), rest
	case strings.HasPrefix(rest, "/"):
		return filepath.VolumeName(dir) + string(filepath.Separator), rest
	}
	return dir, rest
}

// rooted reports whether a name means the same in every folder.
func rooted(name string) bool { return path.IsAbs(name) || filepath.VolumeName(name) != "" }

// readable reports whether a literal operand names something a command may read
// without a question: inside the workspace from every directory the line may be
// in by then, and no secret.
func (s *scan) readable(name string) bool {
	if name == "/dev/null" || name == "-" {
		return true
	}
	for _, dir := range s.cwds {
		p, in := s.w.reach(dir, name)
		if !in || secretFile(p) || secretFile(path.Base(name)) {
			return false
		}
	}
	return true
}

// matches reports whether every file an unquoted pattern may become is readable
// and cannot be taken for a flag.
func (s *scan) matches(pattern string) bool {
	if strings.Contains(pattern, "\\") || strings.Contains(pattern, "**") || rooted(pattern) {
		return false
	}
	// Shells and languages differ on what stands in brackets: whatever could is looked at.
	parts := strings.Split(pattern, "/")
	for i, p := range parts {
		parts[i] = unbracketed(p)
	}
	left := 5000
	for _, dir := range s.cwds {
		if !s.expandsInside(dir, "", parts, &left) {
			return false
		}
	}
	return true
}

// unbracketed is a pattern that matches at least what one with brackets does: any one
// letter for each list that is closed, anything for what is not.
func unbracketed(p string) string {
	for {
		at := strings.IndexByte(p, '[')
		if at < 0 {
			return p
		}
		rest := strings.TrimLeft(p[at+1:], "!^")
		if rest == "" {
			return p[:at] + "*"
		}
		end := strings.IndexByte(rest[1:], ']') // the first letter may be one itself
		if end < 0 || strings.ContainsAny(rest[:end+1], "[!^]") {
			return p[:at] + "*"
		}
		p = p[:at] + "?" + rest[end+2:]
	}
}

// expandsInside follows a pattern part by part below done, which is relative to
// dir, and looks at no more than left names.
func (s *scan) expandsInside(dir, done string, parts []string, left *int) bool {
	if len(parts) == 0 || len(parts) == 1 && parts[0] == "" {
		return s.readable(done)
	}
	part := parts[0]
	if !strings.ContainsAny(part, "*?") {
		if done == "" && strings.HasPrefix(part, "-") {
			return false
		}
		return s.expandsInside(dir, below(done, part), parts[1:], left)
	}
	p, in := s.w.reach(dir, "./"+done)
	if !in {
		return false
	}
	names, err := list(p, *left)
	if err != nil {
		return os.IsNotExist(err) || errors.Is(err, syscall.ENOTDIR)
	}
	for _, n := range names {
		if n[0] == '.' && part[0] != '.' { // a * does not stand for a dot in front
			continue
		}
		ok, err := path.Match(part, n)
		if err != nil {
			return false
		}
		// What one letter is depends on the locale, where it is none of ASCII.
		if odd := strings.ContainsFunc(n, func(r rune) bool { return r > 0x7f }) && strings.Contains(part, "?"); !ok && !odd {
			continue
		}
		if *left--; *left < 0 || done == "" && n[0] == '-' || !s.expandsInside(dir, below(done, n), parts[1:], left) {
			return false
		}
	}
	return true
}

// anyAt reports whether a pattern for names in the current directory matches one
// that begins with @.
func (s *scan) anyAt(pattern string) bool {
	for _, dir := range s.cwds {
		names, err := list(dir, 5000)
		if err != nil {
			return true
		}
		for _, n := range names {
			if ok, err := path.Match(pattern, n); n[0] == '@' && (ok || err != nil) {
				return true
			}
		}
	}
	return false
}

// staysAsItIs reports whether a flag with a pattern in its value, --include=*.go,
// matches no file, so that the shell hands it on as it is written.
func (s *scan) staysAsItIs(flag string) bool {
	i := strings.IndexAny(flag, "*?/[")
	if i < 0 || !strings.Contains(flag[:i], "=") || strings.ContainsAny(flag, "[\\") {
		return false
	}
	for _, dir := range s.cwds {
		names, err := list(dir, 5000)
		if err != nil || slices.ContainsFunc(names, func(n string) bool { return strings.HasPrefix(n, flag[:i]) }) {
			return false
		}
	}
	return true
}

// isDir reports whether a path is a directory.
func isDir(p string) bool {
	fi, err := os.Stat(p)
	return err == nil && fi.IsDir()
}

// below joins without cleaning: .. behind a link is not where it came from.
func below(dir, name string) string {
	if dir == "" {
		return name
	}
	return dir + "/" + name
}

// list reads the names of a directory, at most n; more is an error.
func list(dir string, n int) ([]string, error) {
	f, err := os.Open(dir)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	names, err := f.Readdirnames(n + 1)
	if err != nil && len(names) == 0 && err.Error() != "EOF" {
		return nil, err
	}
	if len(names) > n {
		return nil, os.ErrInvalid
	}
	return names, nil
}

// linkless reports whether no link below a directory leads out of the workspace,
// for commands that follow links as they go down.
func (s *scan) linkless(name string) bool {
	left := mostNames
	return s.below(name, &left, func(at string, d os.DirEntry) bool {
		if d.Type()&os.ModeSymlink == 0 {
			return true
		}
		_, in := s.w.reach(filepath.Dir(at), d.Name())
		return in
	})
}

// mostNames is how many names below a directory are looked at: beyond, nothing is
// vouched for.
const mostNames = 20_000

// below reports whether a path lies inside from wherever the command may be, and fine
// says so of all that lies there. left counts the names down.
func (s *scan) below(name string, left *int, fine func(at string, d os.DirEntry) bool) bool {
	for _, dir := range s.cwds {
		p, in := s.w.reach(dir, name)
		if !in {
			return false
		}
		err := filepath.WalkDir(p, func(at string, d os.DirEntry, err error) error {
			if *left--; *left < 0 {
				return os.ErrInvalid
			}
			switch {
			case os.IsNotExist(err):
				return nil
			case err != nil:
				return err
			case !fine(at, d):
				return os.ErrPermission
			}
			return nil
		})
		if err != nil {
			return false
		}
	}
	return true
}

// secretFile reports whether a file by this name holds keys or passwords.
func secretFile(p string) bool {
	p = strings.ToLower(filepath.ToSlash(p))
	for _, dir := range []string{".ssh", ".aws", ".gnupg", ".azure", ".password-store", ".docker", ".kube"} {
		if strings.Contains(p+"/", "/"+dir+"/") || strings.HasPrefix(p+"/", dir+"/") {
			return true
		}
	}
	for _, part := range []string{"/.config/gh/", "/.config/gcloud/", "/.config/op/", "/keychains/", "/.mozilla/", "google-chrome/", "/.local/share/keyrings/"} {
		if strings.Contains(p+"/", part) {
			return true
		}
	}
	b := path.Base(p)
	switch b {
	case ".netrc", "_netrc", ".pgpass", ".npmrc", ".pypirc", ".git-credentials", ".htpasswd", ".my.cnf", ".vault-token", "credentials",
		"credentials.json", "credentials.toml", "shadow", "gshadow", "sudoers", "master.passwd", "id_rsa", "id_ed25519", "id_ecdsa", "id_dsa", "login.keychain",
		"secrets", "environ", ".boto", ".s3cfg", "service-account.json", ".dockercfg", "kubeconfig", "wallet.dat":
		return true
	case ".env.example", ".env.sample", ".env.template", ".env.dist", ".env.defaults":
		return false
	}
	if b == ".env" || strings.HasPrefix(b, ".env.") || strings.HasSuffix(b, ".env") {
		return true
	}
	for _, ext := range []string{".key", ".p12", ".pfx", ".jks", ".keystore", ".kdbx", ".asc", ".gpg", ".ppk", ".age"} {
		if strings.HasSuffix(b, ext) {
			return true
		}
	}
	for _, ext := range []string{".yml", ".yaml", ".json", ".toml", ".tfvars", ".pem", ".txt"} {
		if stem, ok := strings.CutSuffix(b, ext); ok && (strings.Contains(stem, "secret") || stem == "privkey" || strings.Contains(stem, "private") && ext == ".pem" ||
			strings.HasSuffix(stem, "key") && ext == ".pem" || stem == "credentials") {
			return true
		}
	}
	return strings.HasPrefix(b, "id_rsa") && !strings.HasSuffix(b, ".pub")
}
