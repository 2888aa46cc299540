"""Reply cases by the thousand: languages x mail programs x answers, automatic mail, forgeries; generated, judged, counted."""
