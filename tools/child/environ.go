package child

import (
	"maps"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
)

// inherited are the variables a server gets of ours: what programs need to find
// their files, their language and the network. Keys of forge's own providers are
// not among them; a server that needs a secret gets it through its env.
var inherited = []string{
	"PATH", "HOME", "USER", "LOGNAME", "SHELL", "LANG", "LANGUAGE", "TZ", "TMPDIR", "TMP", "TEMP", "PWD",
	"SSH_AUTH_SOCK", "DISPLAY", "WAYLAND_DISPLAY", "DBUS_SESSION_BUS_ADDRESS",
	"HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "ALL_PROXY",
	"SSL_CERT_FILE", "SSL_CERT_DIR", "NODE_EXTRA_CA_CERTS", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE",
	"JAVA_HOME", "GOPATH", "GOROOT", "GOCACHE", "GOMODCACHE", "CARGO_HOME", "RUSTUP_HOME", "PYENV_ROOT", "VIRTUAL_ENV",
	"CONDA_PREFIX", "NVM_DIR", "NVM_BIN", "FNM_DIR", "VOLTA_HOME", "ASDF_DIR", "BUN_INSTALL", "DENO_DIR", "PNPM_HOME",
	"NPM_CONFIG_REGISTRY", "NPM_CONFIG_CACHE", "NPM_CONFIG_PREFIX", "NPM_CONFIG_USERCONFIG", "UV_CACHE_DIR", "UV_INDEX_URL", "PIP_INDEX_URL",
	"DOCKER_HOST", "DOCKER_CONFIG", "NIX_PATH", "NIX_SSL_CERT_FILE", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH",
	// Windows
	"SYSTEMROOT", "SYSTEMDRIVE", "COMSPEC", "PATHEXT", "WINDIR", "APPDATA", "LOCALAPPDATA", "PROGRAMDATA", "PROGRAMFILES",
	"PROGRAMFILES(X86)", "USERPROFILE", "USERNAME", "HOMEDRIVE", "HOMEPATH", "NUMBER_OF_PROCESSORS", "PROCESSOR_ARCHITECTURE",
}

var inheritedPrefixes = []string{"LC_", "XDG_"}

// lists are those of them that are folders in which programs and libraries are looked for.
var lists = []string{"PATH", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH"}

// Environ is the environment of a server: what it inherits, and what its
// configuration says.
func Environ(own map[string]string, ours []string) []string {
	var out []string
	for _, kv := range ours {
		name, _, ok := strings.Cut(kv, "=")
		upper := strings.ToUpper(name)
		if !ok || name == "" || !slices.Contains(inherited, upper) && !slices.ContainsFunc(inheritedPrefixes, func(p string) bool { return strings.HasPrefix(upper, p) }) {
			continue
		}
		if _, set := own[name]; set || runtime.GOOS == "windows" && hasFold(own, name) {
			continue
		}
		if slices.Contains(lists, upper) {
			folders := absolute(kv[len(name)+1:])
			if folders == "" { // an empty list means the folder a server runs in
				continue
			}
			kv = name + "=" + folders
		}
		out = append(out, kv)
	}
	for _, k := range slices.Sorted(maps.Keys(own)) {
		out = append(out, k+"="+own[k])
	}
	return out
}

// absolute is a list without its relative folders: a server runs in the workspace, and what
// lies there is not to be the node or the go that it starts, nor a library of theirs.
func absolute(path string) string {
	dirs := slices.DeleteFunc(filepath.SplitList(path), func(dir string) bool { return !filepath.IsAbs(dir) })
	return strings.Join(dirs, string(filepath.ListSeparator))
}

func hasFold(m map[string]string, name string) bool {
	for k := range m {
		if strings.EqualFold(k, name) {
			return true
		}
	}
	return false
}
