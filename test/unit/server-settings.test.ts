import { describe, expect, it } from 'vitest';
import { createProgram } from '../../src/cli/program.ts';
import { ConfigError, readConfig } from '../../src/config.ts';

describe('invalid settings', () => {
  it.each([
    ['STRATALOG_PORT', 'eighty', /must be an integer from 0 to 65535/],
    ['STRATALOG_PORT', '65536', /must be an integer from 0 to 65535/],
    ['STRATALOG_PORT', '-1', /0/],
    ['STRATALOG_PROFILE', 'cloud', /embedded/],
    ['STRATALOG_ROLES', 'api,king', /projector/],
    ['STRATALOG_MASTER_KEY', 'short', /16 characters/],
    ['STRATALOG_VAULT_KEY', 'short', /40 characters/],
    ['STRATALOG_POSTGRES_URL', 'mysql://x', /postgres:/],
    ['STRATALOG_EMBEDDER', 'magic', /onnx/],
    ['STRATALOG_EMBEDDER', 'openai', /STRATALOG_EMBEDDING_BASE_URL/],
    ['STRATALOG_EMBEDDING_BASE_URL', 'nowhere', /https?:/],
    ['STRATALOG_JWT_ISSUER', 'https://id.example', /STRATALOG_JWT_AUDIENCE/],
    ['STRATALOG_MASTER_KEY', 'a master key with spaces', /spaces/],
    ['STRATALOG_MASTER_KEY', 'schlüssel-geheim-123', /ASCII/],
    ['STRATALOG_MASTER_KEY', 'a-master-key-of-a-file\n', /line ends/],
    ['STRATALOG_JWT_JWKS', 'nowhere', /URL/],
    ['STRATALOG_JWT_JWKS', 'localhost:3000/keys', /https?/],
    ['STRATALOG_JWT_JWKS', '{bad', /JSON Web Key Set/],
    ['STRATALOG_JWT_JWKS', '{"foo":1}', /JSON Web Key Set/],
    ['STRATALOG_LOG_LEVEL', 'loud', /debug/],
  ])('[J8] %s=%s: names the variable and its valid values', (name, value, takes) => {
    const reading = () => readConfig({ [name]: value });
    expect(reading).toThrow(ConfigError);
    expect(reading).toThrow(name);
    expect(reading).toThrow(takes);
  });
});

describe.each(['serve', 'doctor', 'demo'])('options of %s', (command) => {
  /** Runs the command line without printing its errors. */
  function run(...options: string[]): Promise<unknown> {
    const program = createProgram();
    for (const one of program.commands) one.configureOutput({ writeErr: () => undefined });
    return program.parseAsync(['node', 'stratalog', command, ...options]);
  }

  it.each([
    ['--port=eighty', /--port.*65535/],
    ['--port=65536', /--port.*65535/],
    ['--port=-1', /--port.*65535/],
    ['--profile=cloud', /--profile.*embedded/],
  ])('[J8] %s is refused like its variable', async (option, message) => {
    await expect(run(option)).rejects.toMatchObject({
      code: 'commander.invalidArgument',
      message: expect.stringMatching(message),
    });
  });
});
