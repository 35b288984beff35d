import NotFound from 'vitepress/dist/client/theme-default/NotFound.vue';
import DefaultTheme from 'vitepress/theme';
import { h } from 'vue';
import './style.css';

export default {
  extends: DefaultTheme,
  // The default page for a missing address has no main landmark.
  Layout: () => h(DefaultTheme.Layout, null, { 'not-found': () => h('main', h(NotFound)) }),
};
