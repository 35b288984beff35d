// The same in Cloudflare's workerd: by words alone, and by meaning once the model was handed in.
import model from 'model.bin';
import { probe, provideModel } from './probe.mjs';

// biome-ignore lint/style/noDefaultExport: workerd takes a module's default export.
export default {
  async fetch() {
    const words = await probe();
    provideModel(model);
    return Response.json({ words, meaning: await probe() });
  },
};
