import { mount } from 'svelte';
import App from './app/App.svelte';
import { router } from './app/router.svelte';
import { settings } from './app/settings.svelte';
import { i18n } from './i18n/i18n.svelte';
import './style/tokens.css';
import './style/base.css';

settings.start();
i18n.apply();
router.start();
const target = document.getElementById('app');
if (target) mount(App, { target });
