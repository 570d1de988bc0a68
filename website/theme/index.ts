import DefaultTheme from 'vitepress/theme-without-fonts'
import './steward.css'

export default DefaultTheme
