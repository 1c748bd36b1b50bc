import { setSourceMapsSupport } from 'node:module';

// Imported before a service. Node would also keep the source maps of packages, which take 20 MB in each process; the
// image does not contain them.
setSourceMapsSupport(true, { nodeModules: false });
