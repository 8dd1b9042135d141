const { fork } = require('node:child_process');
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const assert = require('node:assert');

if (process.send) {
  process.on('message', (n) => { process.send(n + 1); process.disconnect(); });
} else {
  const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'sample-'));
  fs.writeFileSync(path.join(dir, 'f'), 'x');
  fs.rmSync(dir, { recursive: true });
  const child = fork(__filename);
  child.on('message', (n) => { assert.strictEqual(n, 42); console.log('npm says ' + n); });
  child.send(41);
}
