import { defineConfig } from 'vite';
import relay from 'vite-plugin-relay-lite';

export default defineConfig({
  plugins: [relay({ relayConfig: 'relay.config.json', codegen: false })],
  // Relay's packages are CommonJS, whose names Node.js does not see.
  ssr: { noExternal: ['react-relay', 'relay-runtime'] },
});
