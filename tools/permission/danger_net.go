package permission

import (
	"slices"
	"strings"

	"forge/lazy"
)

// network judges programs that speak with other machines.
func (c *command) network() bool {
	s := c.s
	ops := c.operands()
	opaque := slices.ContainsFunc(c.args, func(w word) bool { return w.opaque })
	switch c.name {
	case "curl", "wget", "http", "https", "xh", "aria2c", "fetch", "lynx", "links", "w3m", "httpie", "yt-dlp", "axel":
		s.net = true
		s.risk(Medium, "fetches over the network")
		c.curl()
	case "ssh", "mosh", "autossh", "sftp", "scp", "rsync", "rclone", "ssh-copy-id", "sshfs", "croc", "magic-wormhole", "wormhole":
		c.remote(ops)
	case "nc", "ncat", "netcat", "socat", "nc.openbsd", "cryptcat", "pwncat", "websocat":
		s.net, s.send = true, true
		joined := strings.ToLower(strings.Join(texts(c.args), " "))
		switch {
		case c.name != "socat" && c.has("-e", "-c", "--exec", "--sh-exec", "--lua-exec"), strings.Contains(joined, "exec:"), strings.Contains(joined, "system:"), strings.Contains(joined, "shell:"):
			s.risk(Critical, "ties a shell to a network connection")
		case c.has("-z") && !c.feed.piped:
			s.risk(Medium, "probes another machine")
			s.send = false
		default:
			s.socket = true
			s.risk(High, "opens a network connection")
		}
	case "telnet", "ftp", "tftp", "lftp", "ncftp", "smbclient", "rsh", "rlogin", "rcp", "rexec", "irc", "irssi", "xfreerdp", "vncviewer":
		s.net, s.send = true, true
		s.risk(High, "opens a network connection")
	case "mail", "mailx", "sendmail", "mutt", "msmtp", "swaks", "ssmtp", "mpack", "s-nail", "notify":
		s.send = true
		s.risk(High, "sends mail")
		c.readsAll()
	case "ping", "ping6", "dig", "nslookup", "host", "drill", "traceroute", "tracepath", "mtr", "whois", "arping", "nmap", "masscan", "getent", "resolvectl", "kdig", "delv", "hping3", "fping", "avahi-resolve":
		s.risk(Medium, "asks the network")
		if opaque {
			s.send = true
			s.risk(High, "sends what only running it would show, in a name")
		}
		if c.name == "nmap" || c.name == "masscan" || c.name == "hping3" {
			s.risk(High, "scans other machines")
		}
		if c.name == "nmap" && c.has("--script") {
			s.risk(High, "runs scripts")
		}
	default:
		return false
	}
	for t := range strings.FieldsSeq(c.feed.text) { // what it is told to do
		s.secret = s.secret || secretFile(strings.Trim(t, `'"`))
	}
	for _, a := range c.args {
		if strings.Contains(a.text, "docker.sock") || strings.Contains(a.text, "containerd.sock") || strings.Contains(a.text, "podman.sock") {
			s.risk(Critical, "commands the container service, which is root")
		}
		if secretFile(strings.TrimLeft(a.path[strings.LastIndexAny(a.path, "@=")+1:], unknown)) && !strings.Contains(a.text, "://") {
			s.secret = true
		}
	}
	return true
}

var (
	sendsFlags = []string{"-d", "-F", "-T", "--data", "--data-raw", "--data-binary", "--data-urlencode", "--data-ascii", "--form", "--form-string", "--upload-file", "--json", "--post-data", "--post-file", "--body-data", "--body-file"}
	urlHost    = lazy.Regexp{Expr: `^[a-z]+://`}
)

func (c *command) curl() {
	s := c.s
	wget := c.name == "wget"
	for _, f := range sendsFlags {
		if wget && len(f) == 2 {
			continue
		}
		for _, v := range c.values(f) {
			s.send = true
			s.risk(High, "sends data")
			c.sent(v, f)
		}
	}
	method := ""
	if !wget {
		for _, v := range c.values("-X", "--request") {
			method = strings.ToUpper(v.text)
		}
	}
	for _, v := range c.values("--method") {
		method = strings.ToUpper(v.text)
	}
	if (c.name == "http" || c.name == "https" || c.name == "xh" || c.name == "httpie") && len(c.args) > 0 {
		if m := strings.ToUpper(c.args[0].text); slices.Contains([]string{"GET", "HEAD", "OPTIONS", "POST", "PUT", "PATCH", "DELETE", "CONNECT", "TRACE"}, m) {
			method = m
		}
		for _, a := range c.operands()[1:] {
			if strings.ContainsAny(a.text, "=@") && !urlHost.Get().MatchString(a.text) {
				s.send = true
				s.risk(High, "sends data")
				c.sent(a.after(strings.IndexAny(a.text, "=@")), "-d")
			}
		}
	}
	if method != "" && method != "GET" && method != "HEAD" && method != "OPTIONS" {
		s.send = true
		s.risk(High, "changes something on another machine")
	}
	for _, v := range c.values("--unix-socket", "--abstract-unix-socket") {
		s.send = true
		s.risk(High, "speaks to a service of this machine")
		if strings.Contains(v.text, "docker") || strings.Contains(v.text, "containerd") || strings.Contains(v.text, "podman") {
			s.risk(Critical, "commands the container service, which is root")
		}
	}
	if c.has("--use-askpass", "--netrc-file", "--preproxy", "--proxy", "--engine", "--doh-url", "--socks5", "-x") && !(wget && !c.has("--use-askpass")) {
		s.risk(High, "goes another way or runs a helper program")
	}
	if c.has("--cert", "--key", "-E") && !wget {
		s.risk(High, "uses a key")
	}
	if wget && c.has("-e", "--execute") {
		s.risk(High, "sets options by which wget runs programs")
	}
	for _, v := range c.values("-H", "--header", "--proxy-header") {
		if !wget && strings.HasPrefix(v.text, "@") {
			s.send = true
			s.risk(High, "sends data")
			c.sent(v, "-d")
		}
	}
	if method == "DELETE" && !c.loopback() {
		s.risk(Critical, "deletes something on another machine")
	}
	if c.has("-K", "--config", "-i", "--input-file", "-e", "--execute") {
		s.risk(Medium, "takes flags or addresses from elsewhere")
	}
	c.saved(wget)
	for _, a := range c.args {
		if a.opaque && (!strings.HasPrefix(a.text, "-") || a.subst) {
			s.send = true
			s.risk(High, "sends what only running it would show, in an address or a header")
		}
		if strings.HasPrefix(strings.ToLower(a.text), "file:") {
			s.reads(a.after(strings.Index(a.text, ":") + 1))
		}
	}
}

// loopback reports whether every address given is one of this machine.
func (c *command) loopback() bool {
	return !slices.ContainsFunc(c.operands(), func(w word) bool {
		host := w.text[len(urlHost.Get().FindString(w.text)):]
		host, _, _ = strings.Cut(host, "/")
		host, _, _ = strings.Cut(host, ":")
		return strings.ContainsAny(w.text, "./") && host != "localhost" && host != "127.0.0.1" && host != "0.0.0.0"
	})
}

// sent judges what a request carries.
func (c *command) sent(v word, flag string) {
	s := c.s
	at := strings.IndexAny(v.text, "@<")
	switch {
	case flag == "-T" || flag == "--upload-file" || strings.HasSuffix(flag, "-file"):
		at = -1
	case at < 0:
		return
	case at > 0 && v.text[at-1] != '=' && flag != "-d":
		return
	}
	f := v.after(at + 1)
	if i := strings.Index(f.path, ";"); i >= 0 {
		f.path = f.path[:i]
	}
	if v.opaque {
		f.path = v.path[strings.LastIndexAny(v.path, "@<")+1:]
	}
	if f.text == "-" {
		return
	}
	for _, p := range s.places(f.path, true) {
		if secretFile(strings.ReplaceAll(p, unknown, "")) || !s.inside(p) {
			s.secret = true
			s.risk(Critical, "sends a file that is secret or lies outside the workspace")
		}
	}
}

// saved judges where what is fetched goes.
func (c *command) saved(wget bool) {
	s := c.s
	flags := []string{"-o", "--output", "--output-dir", "-D", "--dump-header", "-c", "--cookie-jar", "--trace", "--etag-save"}
	if wget {
		flags = []string{"-O", "--output-document", "-P", "--directory-prefix", "-o", "--output-file", "-a"}
	}
	for _, v := range c.values(flags...) {
		s.writes(v)
		s.fetches(v)
	}
	for _, a := range c.operands() {
		if urlHost.Get().MatchString(a.text) && (wget || c.has("-O", "--remote-name")) {
			name := a.text[strings.LastIndex(a.text, "/")+1:]
			if name != "" {
				s.fetches(literal(name))
			}
		}
	}
}

// remote judges ssh and the programs that copy through it.
func (c *command) remote(ops []word) {
	s := c.s
	s.net = true
	for _, v := range append(c.values("-o"), c.values("-e", "--rsh", "--rsync-path", "-S", "-D", "-F", "-J")...) {
		low := strings.ToLower(v.text)
		if strings.Contains(low, "command") || c.name == "rsync" {
			s.ungrantable = true
			s.risk(High, "runs a helper program")
			if _, code, ok := strings.Cut(v.text, "="); ok {
				s.maybeCode(code)
			}
		}
	}
	if c.name == "ssh" || c.name == "mosh" || c.name == "autossh" {
		s.send = true
		s.risk(High, "runs a command on another machine")
		if c.has("-R", "-D", "-L", "-w") {
			s.risk(High, "opens a tunnel")
		}
		if len(ops) > 1 {
			s.maybeCode(strings.Join(texts(ops[1:]), " "))
		}
		return
	}
	far := slices.ContainsFunc(ops, func(w word) bool {
		i := strings.Index(w.text, ":")
		return i > 0 && !strings.Contains(w.text[:i], "/")
	}) || c.name != "rsync"
	if far {
		s.send = true
		s.risk(High, "copies files to or from another machine")
	}
	for i, w := range ops {
		last := i == len(ops)-1
		if j := strings.Index(w.text, ":"); j > 0 && !strings.Contains(w.text[:j], "/") {
			continue
		}
		switch {
		case last && !far:
			s.risk(Medium, "writes files over others")
			s.writes(w)
			if c.has("--delete", "--delete-after", "--delete-before", "--delete-excluded", "--del") || c.has("--delete-during") {
				s.risk(High, "deletes what the source does not have")
				s.destroys(w, true)
			}
		case last:
			s.writes(w)
		default:
			if s.reads(w); secretFile(strings.ReplaceAll(w.path, unknown, "")) {
				s.secret = true
			}
		}
	}
	if far && c.has("--delete", "--delete-after", "--delete-excluded", "--del") {
		s.risk(Critical, "deletes on the other side")
	}
	if c.has("--remove-source-files") {
		s.risk(High, "removes what it sends")
	}
}
