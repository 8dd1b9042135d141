package secrets

import "strings"

// clients are programs that take a password behind a short flag, which says nothing
// by itself: -p is a port or a path elsewhere. near: a word that must stand between
// the two, as in "docker login". apart: the value may be the next word; with mysql a
// bare -p asks for the password, and what follows is a database.
var clients = []struct {
	name, near string
	flag       byte
	apart      bool
}{
	{"mysql", "", 'p', false}, {"mariadb", "", 'p', false}, {"mycli", "", 'p', false}, {"sshpass", "", 'p', true}, {"7z", "", 'p', false}, {"7za", "", 'p', false}, {"rar", "", 'p', false}, {"unrar", "", 'p', false},
	{"mongo", "", 'p', true}, {"mongosh", "", 'p', true}, {"mongodump", "", 'p', true}, {"mongorestore", "", 'p', true}, {"mongoexport", "", 'p', true}, {"mongoimport", "", 'p', true},
	{"redis-cli", "", 'a', true}, {"ldap", "", 'w', true}, {"sqlcmd", "", 'P', true}, {"bcp", "", 'P', true}, {"unzip", "", 'P', true}, {"zip", "", 'P', true}, {"ipmitool", "", 'P', true}, {"mosquitto_", "", 'P', true},
	{"docker", "login", 'p', true}, {"podman", "login", 'p', true}, {"buildah", "login", 'p', true}, {"skopeo", "login", 'p', true}, {"helm", "login", 'p', true}, {"oras", "login", 'p', true}, {"az", "login", 'p', true}, {"cf", "login", 'p', true}, {"oc", "login", 'p', true}, {"rabbitmqadmin", "", 'p', true},
}

// short reads "-pVALUE" and "-p VALUE" behind a program that takes a password so; i is
// at the dash.
func (s *scanner) short(i int) {
	t := s.text
	if i+2 >= len(t) || i == 0 || t[i-1] != ' ' || strings.IndexByte("paPw", t[i+1]) < 0 {
		return
	}
	before := lineStart(t, i)
	if n := strings.LastIndexAny(before, ";|&("); n >= 0 {
		before = before[n+1:]
	}
	for _, c := range clients {
		if c.flag != t[i+1] || t[i+2] == ' ' && !c.apart {
			continue
		}
		at := program(before, c.name)
		if at < 0 || c.near != "" && !strings.Contains(before[at:], " "+c.near+" ") {
			continue
		}
		from, to, _ := s.operand(i + 2)
		if from < to && t[from] != '-' && secretPassword(t[from:to], true) {
			s.emit(find{from, to, kindPassword})
		}
		return
	}
}

// program finds where a command line calls a program, or one whose name begins so
// (mysqldump, ldapsearch); -1: nowhere.
func program(line, name string) int {
	for from := 0; ; {
		n := strings.Index(line[from:], name)
		if n < 0 {
			return -1
		}
		at := from + n
		end := at + len(name)
		whole := end == len(line) || line[end] == ' ' || name == "mysql" || name == "mariadb" || name == "ldap" || name == "mosquitto_"
		if whole && (at == 0 || strings.IndexByte(" /\t'\"`", line[at-1]) >= 0) {
			return at
		}
		from = end
	}
}

// cookies reads "a=1; b=2", as the headers Cookie and Set-Cookie hold it: a server
// knows a person by it. i is behind the name of the header.
func (s *scanner) cookies(i int) {
	t := s.text
	for i < len(t) && (t[i] == ' ' || t[i] == '"' || t[i] == '\'' || t[i] == '\\' && i+1 < len(t) && t[i+1] == '"') {
		i++
	}
	end := min(len(t), i+4096)
	if n := strings.IndexAny(t[i:end], "\r\n\"'`\\<>"); n >= 0 {
		end = i + n
	}
	for i < end {
		next := end
		if n := strings.IndexByte(t[i:end], ';'); n >= 0 {
			next = i + n
		}
		name, v, ok := strings.Cut(t[i:next], "=")
		if v = strings.TrimRight(v, " "); ok && cookie(strings.TrimSpace(name), v) {
			from := i + len(name) + 1
			s.known(from, from+len(v), kindToken)
		}
		i = next + 1
	}
}

// cookie says whether a cookie's value lets somebody in: what is drawn by lot and no
// sum, or what a name for sessions says of it.
func cookie(name, v string) bool {
	switch low := strings.ToLower(name); low {
	case "path", "domain", "expires", "max-age", "samesite", "priority":
		return false
	default:
		if len(v) < 16 || strings.ContainsAny(v, " ,") || example(v) || words(v) {
			return false
		}
		for _, part := range []string{"sess", "sid", "auth", "token", "jwt", "login", "remember", "csrf", "xsrf", "key", "secret", "ident", "user"} {
			if strings.Contains(low, part) {
				return random(v, 2.5) || len(v) >= 24 && entropy(v) >= 3
			}
		}
		return secretToken(strings.ReplaceAll(v, "%", ""), 20, 3.3) && !hash(v)
	}
}
