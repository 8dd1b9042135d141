package permission

import (
	"slices"
	"strings"

	"forge/lazy"
)

// verb is a program with the first words of its arguments. The longest that fits
// decides.
type verb struct {
	words  string // alternatives by comma: "push,image push"
	level  Level
	reason string
}

const (
	runsProject = "runs code of the workspace or of its dependencies"
	asksRemote  = "asks a remote service"
	publishes   = "publishes or changes something remote"
	installs    = "installs software and may run its scripts"
	wipes       = "destroys something remote or shared"
	container   = "speaks to the container service"
)

var verbs = lazy.Value[map[string][]verb]{Of: func() map[string][]verb {
	return map[string][]verb{
		"go": {{"", Medium, "is a go command forge does not vouch for"}, {"build,vet,fmt", Low, ""}, {"fix", Medium, "rewrites files"}, {"version,doc,list,env,help", Medium, "has a flag or an argument forge does not vouch for"}, {"test,run,generate,tool", Medium, runsProject},
			{"get,mod,work,install", Medium, "changes or fetches dependencies"}, {"clean", Medium, "empties caches"}, {"telemetry,bug", Medium, "speaks to the go project"}},
		"cargo": {{"", Medium, runsProject}, {"new,init", Low, ""}, {"fmt", Medium, "rewrites files"}, {"publish,yank,owner,login,logout", High, publishes}, {"install,uninstall,binstall", High, installs}, {"add,remove,update", Medium, "changes dependencies"}, {"clean", Medium, "deletes what was built"}},
		"npm": {{"", Medium, runsProject}, {"publish,deprecate,dist-tag,owner,access,team,org,profile,token,hook,stars,star,login,adduser,logout,undeprecate", High, publishes}, {"unpublish", Critical, wipes}, {"install,i,add,update,upgrade,link,install-test", Medium, installs},
			{"config set,set,config edit,config delete", Critical, "changes where packages come from"}, {"exec,x,create,init", High, "fetches a package and runs it"}, {"uninstall,remove,rm", Medium, "removes dependencies"}},
		"docker": {{"", Medium, container}, {"run,exec,container run,container exec,compose run,compose exec,start,restart,stop,kill,rm,rmi,pause,unpause,update,rename,container rm,container stop,container kill,container start,container restart,image rm,network,login,logout,context,plugin,commit,import,load,cp,container cp", High, "runs or changes containers"},
			{"push,image push,compose push,buildx imagetools,manifest push,trust", High, publishes}, {"network ls,network inspect,context ls,context show,plugin ls,plugin inspect", Medium, container}, {"compose down,compose stop,compose rm,compose kill,compose restart,stack,service,swarm,node,secret,config", High, "changes services"},
			{"system prune,system reset,volume rm,volume prune,image prune,container prune,builder prune,network prune,buildx prune,swarm leave,stack rm", Critical, "deletes volumes, images or containers in bulk"}},
		"kubectl": {{"", High, "changes a cluster"}, {"get,describe,logs,top,version,explain,api-resources,api-versions,cluster-info,config view,config get-contexts,config current-context,auth can-i,diff,wait,events", Medium, asksRemote}, {"get secret,get secrets,describe secret", High, "reads secrets of a cluster"},
			{"delete,drain", Critical, "deletes in a cluster"}},
		"helm":      {{"", Medium, asksRemote}, {"install,upgrade,rollback,push,plugin,registry,repo add", High, "changes a cluster"}, {"uninstall,delete,del,un", Critical, "deletes in a cluster"}},
		"terraform": {{"", Medium, "runs providers and asks a remote service"}, {"apply,import,taint,untaint,state,workspace,login,force-unlock,refresh,console", High, "changes infrastructure"}, {"state list,state show,workspace list,workspace show", Medium, asksRemote}, {"destroy,state rm,workspace delete", Critical, "destroys infrastructure"}},
		"pulumi":    {{"", Medium, asksRemote}, {"up,update,import,refresh,config,stack,login", High, "changes infrastructure"}, {"destroy,stack rm", Critical, "destroys infrastructure"}},
		"vagrant":   {{"", Medium, "speaks to virtual machines"}, {"up,ssh,halt,reload,provision,resume,suspend", High, "runs or stops machines"}, {"destroy,box remove", Critical, "destroys machines"}},
		"gh": {{"", High, publishes}, {"status,search,browse,version,pr view,pr list,pr status,pr diff,pr checks,pr checkout,issue view,issue list,issue status,repo view,repo list,repo clone,run view,run list,run watch,run download,release view,release list,release download,workflow view,workflow list,auth status,gist view,gist list,label list,cache list,project list,project view,ruleset,org list,secret list,variable list,extension list,alias list,config get,config list,completion,help,api", Medium, asksRemote},
			{"repo delete,release delete,secret delete,run delete,cache delete,repo archive,issue delete,gist delete,variable delete,project delete,label delete,repo rename", Critical, wipes}, {"auth token", High, "prints a secret"}, {"alias set,alias import,extension install", Critical, "changes what a later gh command runs"}},
		"psql": {{"", Medium, "works on a database"}}, "dropdb": {{"", Critical, "drops a database"}}, "dropuser": {{"", Critical, "drops a user of a database"}}, "createdb": {{"", High, "changes a database server"}}, "pg_restore": {{"", High, "writes a database"}},
		"apt": {{"", High, "changes the system's packages"}, {"list,search,show,policy,depends,rdepends,changelog", Medium, "looks at the system's packages"}},
		"pip": {{"", Medium, "looks at or builds packages"}, {"install,uninstall", High, installs}, {"config", Medium, "looks at where packages come from"}, {"config set,config edit,config unset", Critical, "changes where packages come from"}, {"cache purge", Medium, "empties a cache"}},
		"uv":  {{"", Medium, runsProject}, {"add,pip install,tool install,tool run,python install,self,pip uninstall", High, installs}, {"publish", High, publishes}}, "poetry": {{"", Medium, runsProject}, {"publish,config", High, publishes}, {"add,self", High, installs}},
		"gem": {{"", Medium, "looks at packages"}, {"install,update,uninstall", High, installs}, {"push,owner,signin", High, publishes}, {"yank", Critical, wipes}, {"sources", High, "changes where packages come from"}}, "bundle": {{"", Medium, runsProject}, {"add", High, installs}, {"config", High, "changes where packages come from"}},
		"composer":  {{"", Medium, runsProject}, {"global,require,create-project", High, installs}, {"config", High, "changes where packages come from"}},
		"systemctl": {{"", High, "changes services"}, {"status,show,list-units,list-unit-files,list-timers,is-active,is-enabled,is-failed,cat,help,list-dependencies,list-sockets,get-default,show-environment,list-jobs", Medium, "looks at services"}, {"enable,disable,mask,unmask,link,edit,set-default,preset,add-wants,set-property,import-environment,set-environment,daemon-reexec,isolate,revert,reenable", Critical, "changes what starts by itself"}, {"poweroff,reboot,halt,kexec,suspend,hibernate,emergency,rescue,soft-reboot,hybrid-sleep", Critical, "stops the machine"}},
		"launchctl": {{"", High, "changes services"}, {"list,print", Medium, "looks at services"}, {"load,bootstrap,enable,submit,setenv", Critical, "changes what starts by itself"}},
		"ip":        {{"", Medium, "shows the network"}, {"netns,vrf", High, "runs a command in another network"}}, "nmcli": {{"", High, "changes the network"}, {"device status,connection show,general status,device show", Medium, "shows the network"}},
		"tmux": {{"", High, "runs commands in other terminals"}, {"ls,list-sessions,list-windows,list-panes,show-options", Medium, "looks at other terminals"}, {"capture-pane", High, "reads other terminals"}}, "screen": {{"", High, "runs commands in other terminals"}},
		"aws": {{"", Low, ""}},
		"svn": {{"", Medium, asksRemote}, {"commit,ci,import,copy,mkdir,delete,lock,propset", High, publishes}}, "hg": {{"", Medium, "changes commits or files; hooks run"}, {"push", High, publishes}, {"strip,purge,update -C", High, "discards work"}}, "mvn": {{"", Medium, runsProject}, {"deploy,release:perform,site-deploy,nexus-staging:release", High, publishes}}, "dotnet": {{"", Medium, runsProject}, {"tool install,tool update,workload install", High, installs}, {"nuget push,nuget delete", High, publishes}},
		"nix": {{"", Medium, runsProject}, {"profile install,profile add,profile upgrade,run,shell,registry,channel", High, installs}}, "opam": {{"", Medium, runsProject}, {"install,upgrade,update,switch,remove,pin,init", High, installs}, {"publish", High, publishes}}, "luarocks": {{"", Medium, "looks at packages"}, {"install,build,make,remove", High, installs}, {"upload", High, publishes}},
		"cabal": {{"", Medium, runsProject}, {"install", High, installs}, {"upload", High, publishes}}, "stack": {{"", Medium, runsProject}, {"install,upgrade,setup", High, installs}, {"upload", High, publishes}}, "mix": {{"", Medium, runsProject}, {"archive.install,escript.install,local.hex,local.rebar", High, installs}, {"hex.publish,hex.retire,hex.owner", High, publishes}},
		"volta": {{"", High, installs}, {"list,which", Medium, "looks at toolchains"}}, "p4": {{"", Medium, asksRemote}, {"submit,delete,integrate", High, publishes}, {"obliterate", Critical, wipes}},
		"make": {{"", Medium, "runs the recipes of a Makefile"}}, "rustup": {{"", High, installs}, {"show,which,toolchain list,target list,component list", Medium, "looks at toolchains"}}, "nvm": {{"", High, installs}}, "sdk": {{"", High, installs}}, "pyenv": {{"", Medium, runsProject}},
		"openssl": {{"", Medium, "works on keys or files"}, {"s_client,s_server,ocsp,s_time", High, "opens a network connection"}, {"engine,genrsa,genpkey,pkcs12,pkey,rsa,ec,pkcs8", High, "loads code or handles private keys"}}, "vault": {{"", High, "handles secrets"}},
		"redis-cli": {{"", Medium, "works on a database"}, {"flushall,FLUSHALL,flushdb,FLUSHDB,shutdown,SHUTDOWN", Critical, "wipes a database"}, {"config,CONFIG,eval,EVAL,del,DEL,set,SET,slaveof,SLAVEOF,module,MODULE", High, "changes a database server"}},
		"defaults":  {{"", Medium, "reads settings"}, {"write,delete,import", High, "changes settings of the user"}}, "gsettings": {{"", Medium, "reads settings"}, {"set,reset", High, "changes settings of the user"}}, "dconf": {{"", Medium, "reads settings"}, {"write,reset,load", High, "changes settings of the user"}},
		"snap": {{"", High, "changes the system's packages"}, {"list,find,info", Medium, "looks at packages"}}, "xdg-mime": {{"", High, "changes which program opens files"}}, "loginctl": {{"", High, "changes sessions"}, {"list-sessions,show-session", Medium, "looks at sessions"}, {"enable-linger", Critical, "changes what starts by itself"}},
	}
}}

// same lets programs share the verbs of another.
var same = lazy.Value[map[string]string]{Of: func() map[string]string {
	return map[string]string{"gcloud": "aws", "az": "aws", "gsutil": "aws", "pnpm": "npm", "yarn": "npm", "bun": "npm", "cnpm": "npm", "podman": "docker", "nerdctl": "docker", "docker-compose": "docker", "oc": "kubectl", "k": "kubectl", "tofu": "terraform", "terragrunt": "terraform", "cdktf": "terraform", "glab": "gh", "hub": "gh",
		"mysql": "psql", "mariadb": "psql", "sqlite3": "psql", "mongosh": "psql", "mongo": "psql", "sqlcmd": "psql", "cqlsh": "psql", "clickhouse-client": "psql", "clickhouse": "psql", "duckdb": "psql", "mysqladmin": "psql", "influx": "psql", "etcdctl": "psql", "sqlplus": "psql", "pgcli": "psql",
		"apt-get": "apt", "aptitude": "apt", "yum": "apt", "dnf": "apt", "pacman": "apt", "apk": "apt", "zypper": "apt", "brew": "apt", "port": "apt", "choco": "apt", "winget": "apt", "scoop": "apt", "dpkg": "apt", "rpm": "apt", "flatpak": "apt", "emerge": "apt", "xbps-install": "apt", "nix-env": "apt", "pkg": "apt", "apt-key": "apt", "add-apt-repository": "apt", "yay": "apt", "paru": "apt", "opkg": "apt", "conda": "apt", "mamba": "apt", "micromamba": "apt",
		"pip3": "pip", "corepack": "volta", "cpan": "nvm", "cpanm": "nvm", "pipx": "apt", "pdm": "poetry", "pipenv": "poetry", "rye": "poetry", "hatch": "poetry", "service": "nvm", "gmake": "make", "bmake": "make", "twine": "nvm", "doctl": "aws", "heroku": "aws", "fly": "aws", "flyctl": "aws", "vercel": "aws", "netlify": "aws", "wrangler": "aws", "firebase": "aws", "supabase": "aws", "eksctl": "aws", "linode-cli": "aws", "hcloud": "aws", "ibmcloud": "aws", "oci": "aws", "railway": "aws", "serverless": "aws", "sls": "aws", "cdk": "aws", "sam": "aws", "kops": "aws", "s3cmd": "aws", "mc": "aws", "b2": "aws", "bq": "aws", "ansible": "aws", "ansible-playbook": "aws", "copilot-cli": "aws"}
}}

func levels() map[string]Risk {
	m := map[string]Risk{}
	put := func(l Level, reason, names string) {
		for n := range strings.FieldsSeq(names) {
			m[n] = Risk{l, reason}
		}
	}
	put(Critical, "stops the machine", "shutdown reboot halt poweroff init telinit pm-suspend")
	put(Critical, "changes disks or file systems", "mkswap mke2fs wipefs fdisk sfdisk cfdisk parted gdisk sgdisk blkdiscard hdparm cryptsetup lvremove vgremove pvremove lvcreate zpool zfs btrfs mdadm diskutil mount umount swapon swapoff losetup partprobe fsck e2fsck tune2fs resize2fs badblocks nvme format")
	put(Critical, "changes the firewall", "iptables ip6tables nft ufw firewall-cmd pfctl ebtables ipset")
	put(Critical, "changes accounts or rights", "useradd userdel usermod adduser deluser groupadd groupdel groupmod passwd chpasswd visudo vipw vigr chsh gpasswd setcap newgrp sg sudoedit dscl")
	put(Critical, "changes the kernel", "insmod rmmod modprobe kexec depmod bpftool dkms")
	put(Critical, "runs a command later, by itself", "at batch crontab anacron")
	put(Medium, "lists what runs later", "atq")
	put(High, "changes the machine", "atrm domainname ypdomainname nisdomainname hwclock hostnamectl timedatectl localectl ldconfig tc route arp ethtool iw iwconfig wpa_cli rfkill nvpmodel cpupower update-grub swaplabel quotaon setquota ntpdate chronyc")
	put(Critical, "changes what starts by itself, or which program a name stands for", "update-rc.d chkconfig rc-update update-alternatives alternatives machinectl")
	put(Critical, "turns off what guards the machine", "setenforce aa-teardown aa-disable aa-complain apparmor_parser auditctl semanage")
	put(High, "speaks to services over the bus", "busctl dbus-send gdbus qdbus dbus-monitor")
	put(Critical, "changes how the machine starts", "grub-install efibootmgr mokutil flashrom fwupdmgr")
	put(High, "manages processes of others", "pm2 supervisorctl forever monit")
	put(High, "signals processes", "kill pkill killall xkill skill snice")
	put(Critical, "signals everything", "killall5")
	put(Medium, "changes a process", "renice")
	put(High, "may run the program it looks at", "ldd")
	put(High, "runs every file of a directory", "run-parts")
	put(High, "looks into another process", "gcore ptrace bpftrace criu reptyr py-spy rbspy")
	put(High, "handles secrets", "pass bw lpass secret-tool security keyring ssh-add gpg-agent gopass chezmoi sops age ssh-agent kwallet-query gnome-keyring-daemon keychain")
	put(High, "opens a debugger, which can run anything", "gdb lldb dlv radare2 r2 pdb")
	put(High, "opens something with another program", "open xdg-open gnome-open kde-open start wslview gio-open sensible-browser")
	put(High, "downloads and runs a package", "uvx pipx pnpx bunx npm-init create-react-app")
	put(Medium, runsProject, "npx tox nox pytest jest mocha vitest tsc eslint prettier webpack vite rollup next gradle gradlew mvnw ant sbt lein rebar3 msbuild swift xcodebuild cmake ninja meson bazel buck just task rake thor invoke rspec phpunit dune zig flutter dart tsx ctest")
	put(Medium, "waits for a person", "less more most view man info pg bat top htop btop nano pico micro joe watch dialog whiptail fzf vimtutor")
	put(Medium, "uses the clipboard or the screen", "pbcopy pbpaste xclip xsel wl-copy wl-paste screencapture import scrot notify-send clip")
	put(Medium, "works on keys", "gpg gpg2 ssh-keygen ssh-keyscan certtool keytool")
	put(Medium, "makes or reads a dump of a database", "pg_dump pg_dumpall mysqldump mongodump")
	put(High, "changes a database server", "mongorestore mysqlimport initdb pg_ctl mysqld mongod redis-server createuser")
	put(High, "listens on the network", "python-http-server ngrok cloudflared localtunnel lt tailscale zerotier-cli wg wg-quick openvpn sshd httpd nginx apachectl dnsmasq tor")
	put(High, "records what others send", "tcpdump tshark dumpcap ettercap wireshark")
	put(Medium, "follows the system's log", "journalctl dmesg last lastb lastlog ausearch")
	put(High, "sends software to a registry", "vsce npm-publish hackage-upload lein-deploy ovsx")
	put(Medium, "shows or changes network interfaces", "ifconfig ss netstat lsof")
	put(Low, "", "clang-format shfmt terraform-docs cloc scc tokei")
	put(Medium, "rewrites files", "indent goimports gofumpt rustfmt black isort stylua unix2dos dos2unix")
	put(Low, "", "sleep date hostname")
	return m
}

var agents = lazy.Value[map[string]bool]{Of: func() map[string]bool {
	return set("forge", "claude", "codex", "gemini", "opencode", "crush", "goose", "aider", "cursor-agent", "qwen", "amp", "copilot", "droid", "kimi", "cline", "plandex", "openhands", "auggie", "iflow", "codebuddy", "pi", "q", "kiro", "roo", "continue", "cn")
}}

// byVerb judges a program with sub-commands.
func (c *command) byVerb() bool {
	name := c.name
	if other, ok := same.Get()[name]; ok {
		name = other
	}
	list, ok := verbs.Get()[name]
	if !ok {
		return false
	}
	ops := c.verbWords()
	best, size := verb{}, -1
	for _, v := range list {
		for alt := range strings.SplitSeq(v.words, ",") {
			ws := strings.Fields(alt)
			if len(ws) > size && len(ws) <= len(ops) && slices.Equal(ws, ops[:len(ws)]) {
				best, size = v, len(ws)
			}
		}
	}
	if c.name == "docker-compose" {
		c.args = append([]word{literal("compose")}, c.args...)
		c.name = "docker"
		return c.byVerb()
	}
	if best.reason != "" {
		c.risk(best.level, best.reason)
	}
	c.s.send = c.s.send || best.reason == publishes
	c.verbExtras(name, ops)
	return true
}

// verbWords are the words before and between flags; a global flag's value may
// stand among them, so a word that looks like one (a path, an address) is left out.
func (c *command) verbWords() []string {
	var out []string
	takes := map[string]bool{"-n": true, "--namespace": true, "--context": true, "-f": true, "--profile": true, "--region": true, "-R": true, "--repo": true, "-H": true, "--host": true, "--kubeconfig": true, "--prefix": true, "-C": true, "--project": true, "-c": true, "--config": true, "--log-level": true, "-p": true, "--filter": true, "-w": true, "--dir": true, "--cwd": true}
	for i := 0; i < len(c.args); i++ {
		t := c.args[i].text
		if strings.HasPrefix(t, "-") {
			if takes[t] && len(out) == 0 {
				i++
			}
			continue
		}
		if strings.HasPrefix(t, "+") && len(out) == 0 {
			continue
		}
		out = append(out, t)
	}
	return out
}

// publishing is a word by which a target, script or sub-command says what it does.
func publishing(t string) (Level, bool) {
	for part := range strings.FieldsFuncSeq(strings.ToLower(t), func(r rune) bool { return strings.ContainsRune(":-_./", r) }) {
		switch part {
		case "publish", "deploy", "release", "releases", "push", "upload", "submit", "send", "promote", "rollout":
			return High, true
		case "destroy", "nuke", "purge", "teardown", "wipe", "undeploy", "unpublish":
			return Critical, true
		}
	}
	return Low, false
}

// byPlain judges a program by its name alone, and a few flags.
func (c *command) byPlain() bool {
	if strings.HasPrefix(c.name, "mkfs") {
		c.risk(Critical, "makes a new file system")
		return true
	}
	if agents.Get()[c.name] {
		c.agent()
		return true
	}
	r, ok := plainLevels.Get()[c.name]
	if !ok {
		return false
	}
	if r.Reason != "" && !c.softer() {
		c.risk(r.Level, r.Reason)
	}
	if r.Reason == runsProject { // a task says what it does by its name
		for _, w := range c.operands() {
			if l, found := publishing(w.text); found && !strings.ContainsAny(w.text, "/") {
				c.risk(min(l, High), "runs a task that publishes or destroys, by its name")
			}
		}
	}
	return true
}

var plainLevels = lazy.Value[map[string]Risk]{Of: func() map[string]Risk {
	return levels()
}}

// softer: forms of a dangerous program that only show something.
func (c *command) softer() bool {
	switch c.name {
	case "crontab":
		if c.has("-l") && !c.has("-r", "-e", "-i") {
			c.risk(Medium, "reads what runs by itself")
			return true
		}
	case "at":
		if c.has("-l") && len(c.args) == 1 {
			c.risk(Medium, "lists what runs later")
			return true
		}
	case "kill":
		if c.has("-l", "-L", "--list") {
			c.risk(Medium, "lists signals")
			return true
		}
	case "mount", "swapon", "passwd", "losetup":
		if len(c.args) == 0 && c.name == "mount" || c.name == "mount" && len(c.args) == 1 && c.has("-l") || c.has("-S", "--status", "--show", "--summary") && c.name != "mount" {
			c.risk(Medium, "shows what is mounted or set")
			return true
		}
	case "iptables", "ip6tables", "nft", "ufw", "firewall-cmd":
		f := c.first()
		if c.has("-L", "-S", "--list", "--list-rules", "--list-all") && !c.has("-F", "-X", "-A", "-D", "-I", "-P", "-Z") || f == "status" || f == "list" {
			c.risk(Medium, "shows the firewall")
			return true
		}
	case "fdisk", "sfdisk", "parted", "diskutil", "zfs", "zpool", "btrfs", "nvme", "gdisk", "sgdisk", "mdadm":
		if f := c.first(); c.has("-l", "--list", "--detail") || f == "list" || f == "status" || f == "info" {
			c.risk(Medium, "shows disks")
			return true
		}
	case "hostnamectl", "timedatectl", "localectl":
		if f := c.first(); f == "" || f == "status" || f == "show" || strings.HasPrefix(f, "list-") {
			c.risk(Medium, "shows settings of the machine")
			return true
		}
	case "route", "arp":
		if len(c.operands()) == 0 && !c.has("-d", "-s") {
			c.risk(Medium, "shows the network")
			return true
		}
	}
	return false
}

// agent judges another agent started from here.
func (c *command) agent() {
	c.s.ungrantable = true
	c.risk(High, "starts another agent")
	joined := strings.ToLower(" " + strings.Join(texts(c.args), " ") + " ")
	if len(c.args) == 1 && (c.args[0].text == "--version" || c.args[0].text == "--help") {
		return
	}
	words := strings.Join(c.verbWords(), " ") + " "
	for _, t := range []string{"permissions add", "permissions remove", "trust", "mcp add", "mcp approve", "mcp remove", "config set", "config add", "plugin install", "extensions install"} {
		if strings.HasPrefix(words, t+" ") && words != "trust list " {
			c.risk(Critical, "changes what an agent obeys")
		}
	}
	for _, t := range []string{"yolo", "dangerous", "skip-permission", "full-auto", "bypass", "auto-approve", "allow-all", "--yes", "approval-mode", "danger-full", "approval never", "-a never", "--force", "no-sandbox", "--sandbox off", "--sandbox=off", "sandbox-network open", "sandbox-network=open", "trust-all", "yes-always", "always-approve", "acceptedits", "auto-accept", " -y "} {
		if strings.Contains(joined, t) {
			c.risk(Critical, "starts an agent without limits")
		}
	}
}
