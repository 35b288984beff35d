import { useRoute } from 'vitepress';
import NotFound from 'vitepress/dist/client/theme-default/NotFound.vue';
import DefaultTheme from 'vitepress/theme';
import { h, nextTick, onMounted, watch } from 'vue';
import './style.css';

/** The first page and the page for a missing address have no main landmark by default. */
const Layout = {
  setup() {
    const route = useRoute();
    onMounted(markMain);
    watch(
      () => route.data,
      () => nextTick(markMain),
    );
    return () => h(DefaultTheme.Layout, null, { 'not-found': () => h('main', h(NotFound)) });
  },
};

function markMain() {
  const content = document.getElementById('VPContent');
  if (content?.classList.contains('is-home')) content.setAttribute('role', 'main');
  else content?.removeAttribute('role');
}

export default { extends: DefaultTheme, Layout };
